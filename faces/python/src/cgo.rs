//! Counter Galois Onion: circuits of Tor at relays and at clients, with AES-128: `abreast.cgo`.

use abreast::Counted;
use abreast::aes::Aes128;
use abreast_frames::cgo::{self, CELL, Cell, CgoError, Client, Hop, Relay, RelayCell, Seeds, Tag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter::zip;

use crate::arguments::instance;
use crate::buffers::{Input, release};
use crate::errors;
use crate::numbers::number;
use crate::turns::Turns;
use crate::windows::{OneOrEach, in_windows, iterator};

/// Numbers that the module exports: bytes of a cell, and commands, of which the defaults below are RELAY.
pub(crate) const NUMBERS: [(&str, usize); 3] =
    [("CELL", CELL), ("RELAY", cgo::RELAY as usize), ("RELAY_EARLY", cgo::RELAY_EARLY as usize)];

/// The most hops of a client, so that their keys stay where they are.
const HOPS: usize = 8;

/// An error as an exception.
#[cold]
fn of(py: Python<'_>, error: CgoError) -> PyErr {
    match error {
        CgoError::Unrecognized => errors::invalid_tag(py, error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Copies a cell.
fn cell_of(input: &[u8]) -> PyResult<Cell> {
    input.try_into().map_err(|_| {
        let len = Counted(input.len(), "bytes");
        PyValueError::new_err(format!("the cell has {len}; it has {CELL} without its header"))
    })
}

/// A cell and its tag.
type Tagged<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn tagged<'py>(py: Python<'py>, cell: &Cell, tag: &Tag) -> Tagged<'py> {
    (PyBytes::new(py, cell), PyBytes::new(py, tag))
}

/// A circuit at a relay. keys: 180 bytes of its handshake: the seeds forward and backward, and the binding, which is not looked at.
#[pyclass(name = "Relay", module = "abreast.cgo", frozen)]
pub(crate) struct PyRelay {
    /// In a box of its own: Python aligns objects to 16 bytes, and the powers of the hash keys want 64.
    relay: Turns<Box<Relay<Aes128>>>,
}

#[pymethods]
impl PyRelay {
    #[new]
    fn new(py: Python<'_>, keys: Input<'_>) -> PyResult<Self> {
        let seeds = Seeds::of(&keys).map_err(|error| of(py, error))?;
        Ok(Self { relay: Turns::new(Box::new(Relay::new(&seeds))) })
    }

    /// Takes a cell from the client's side. Returns it and its tag if it is for this relay: then it is plaintext. Otherwise the tag is
    /// None, and the cell is for the next relay.
    #[pyo3(signature = (cell, command=3))]
    fn forward<'py>(
        &self,
        py: Python<'py>,
        cell: Input<'_>,
        #[pyo3(from_py_with = number)] command: u8,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>)> {
        let mut cell = cell_of(&cell)?;
        let tag = self.relay.turn(py)?.forward(command, &mut cell);
        Ok((PyBytes::new(py, &cell), tag.map(|tag| PyBytes::new(py, &tag))))
    }

    /// Takes a cell from the side away from the client, for the relay before.
    #[pyo3(signature = (cell, command=3))]
    fn backward<'py>(
        &self,
        py: Python<'py>,
        cell: Input<'_>,
        #[pyo3(from_py_with = number)] command: u8,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut cell = cell_of(&cell)?;
        self.relay.turn(py)?.backward(command, &mut cell);
        Ok(PyBytes::new(py, &cell))
    }

    /// Encrypts a cell of this relay for the client. Its payload comes after the first 16 bytes, which the tag takes. Returns the cell
    /// and the tag.
    #[pyo3(signature = (cell, command=3))]
    fn originate<'py>(
        &self,
        py: Python<'py>,
        cell: Input<'_>,
        #[pyo3(from_py_with = number)] command: u8,
    ) -> PyResult<Tagged<'py>> {
        let mut cell = cell_of(&cell)?;
        let tag = self.relay.turn(py)?.originate(command, &mut cell);
        Ok(tagged(py, &cell, &tag))
    }
}

/// A circuit at a client. keys: those of each hop, as for Relay, the nearest one first; at most 8.
#[pyclass(name = "Client", module = "abreast.cgo", frozen)]
pub(crate) struct PyClient {
    hops: Turns<Vec<Hop<Aes128>>>,
}

#[pymethods]
impl PyClient {
    #[new]
    #[pyo3(signature = (keys=None), text_signature = "(keys=())")]
    fn new(py: Python<'_>, keys: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let client = Self { hops: Turns::new(Vec::with_capacity(HOPS)) };
        if let Some(keys) = keys {
            for (at, keys) in iterator(keys, "keys of hops")?.enumerate() {
                let added = keys?.extract().and_then(|keys| client.add_hop(py, keys));
                added.map_err(|error| errors::numbered(py, "hop", at, &error))?;
            }
        }
        Ok(client)
    }

    /// Adds a hop to the end of the circuit.
    fn add_hop(&self, py: Python<'_>, keys: Input<'_>) -> PyResult<()> {
        let seeds = Seeds::of(&keys).map_err(|error| of(py, error))?;
        let mut hops = self.hops.turn(py)?;
        if hops.len() == HOPS {
            return Err(PyValueError::new_err(format!(
                "a circuit has at most {HOPS} hops, and this is one more"
            )));
        }
        hops.push(Hop::new(&seeds));
        Ok(())
    }

    /// Encrypts a cell for a hop, counted from 0. Its payload comes after the first 16 bytes, which the tag takes. Returns the cell and
    /// the tag.
    #[pyo3(signature = (hop, cell, command=3))]
    fn originate<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number)] hop: usize,
        cell: Input<'_>,
        #[pyo3(from_py_with = number)] command: u8,
    ) -> PyResult<Tagged<'py>> {
        let mut cell = cell_of(&cell)?;
        let made = Client(&mut self.hops.turn(py)?).originate(hop, command, &mut cell);
        Ok(tagged(py, &cell, &made.map_err(|error| of(py, error))?))
    }

    /// Takes the layers off a cell that came back. Returns the number of the hop that originated it, the cell and its tag. Raises
    /// InvalidTag if it is from no hop: then Tor closes the circuit.
    #[pyo3(signature = (cell, command=3))]
    fn backward<'py>(
        &self,
        py: Python<'py>,
        cell: Input<'_>,
        #[pyo3(from_py_with = number)] command: u8,
    ) -> PyResult<(usize, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let mut cell = cell_of(&cell)?;
        let received = Client(&mut self.hops.turn(py)?).backward(command, &mut cell);
        let received = received.ok_or_else(|| of(py, CgoError::Unrecognized))?;
        let (cell, tag) = tagged(py, &cell, &received.tag);
        Ok((received.hop, cell, tag))
    }
}

/// A cell of a batch.
struct Waiting {
    row: usize,
    command: u8,
    cell: Cell,
    tag: Option<Tag>,
}

/// A circuit of a batch with its cells in their order.
struct Circuit<'py> {
    relay: Bound<'py, PyRelay>,
    cells: Vec<Waiting>,
}

/// Reads the cells of a batch. Nothing is done before all of them are there, since a circuit cannot go back.
fn circuits<'py>(
    relays: &Bound<'py, PyAny>,
    cells: &Bound<'py, PyAny>,
    commands: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Circuit<'py>>> {
    let py = relays.py();
    let relays = OneOrEach::new(relays, "relays", instance::<PyRelay>)?;
    let relay_cells = cgo::RELAY.into_pyobject(py)?.into_any();
    let commands = OneOrEach::new(commands.unwrap_or(&relay_cells), "commands", number::<u8>)?;
    let (mut circuits, mut known) = (Vec::<Circuit<'_>>::new(), HashMap::new());
    let others = [relays.each(), commands.each()];
    in_windows((cells, "cells"), others, |first, cells, [of_relays, of_commands]| {
        let relays = relays.window(first, cells.len(), of_relays)?;
        let commands = commands.window(first, cells.len(), of_commands)?;
        for (row, (cell, (relay, command))) in zip(first.., zip(cells, zip(relays, commands))) {
            let cell = cell_of(cell).map_err(|error| errors::numbered(py, "cell", row, &error))?;
            let at = *known.entry(relay.as_ptr()).or_insert(circuits.len());
            if at == circuits.len() {
                circuits.push(Circuit { relay, cells: Vec::new() });
            }
            circuits[at].cells.push(Waiting { row, command, cell, tag: None });
        }
        Ok(())
    })?;
    Ok(circuits)
}

/// Does cells of many circuits side by side: first one of each, then a second one of those that have it, and so on. Returns them in the
/// order of the batch. Signals wait, since an exception would lose the cells that are done.
fn many(
    py: Python<'_>,
    mut circuits: Vec<Circuit<'_>>,
    run: fn(&mut [RelayCell<'_, Aes128>]),
) -> PyResult<Vec<Waiting>> {
    circuits.sort_by_key(|circuit| circuit.relay.get().relay.address());
    let taken = circuits.iter_mut().map(|Circuit { relay, cells }| Ok((relay.get().relay.turn(py)?, cells)));
    let mut taken = taken.collect::<PyResult<Vec<_>>>()?;
    taken.sort_by_key(|(_, cells)| Reverse(cells.len()));
    let rounds = taken.first().map_or(0, |(_, cells)| cells.len());
    for round in 0..rounds {
        let there = taken.partition_point(|(_, cells)| cells.len() > round);
        let mut batch: Vec<_> = (taken[..there].iter_mut())
            .map(|(relay, cells)| {
                let Waiting { command, cell, .. } = &mut cells[round];
                RelayCell::new(relay, *command, cell)
            })
            .collect();
        release(py, CELL * there, || run(&mut batch));
        let tags: Vec<_> = batch.into_iter().map(|cell| cell.tag).collect();
        for ((_, cells), tag) in zip(&mut taken, tags) {
            cells[round].tag = tag;
        }
    }
    drop(taken);
    let mut done: Vec<_> = circuits.into_iter().flat_map(|circuit| circuit.cells).collect();
    done.sort_unstable_by_key(|cell| cell.row);
    Ok(done)
}

/// Returns cells with their tags, or None.
fn with_tags(py: Python<'_>, done: Vec<Waiting>) -> PyResult<Bound<'_, PyList>> {
    let bytes = |Waiting { cell, tag, .. }| (PyBytes::new(py, &cell), tag.map(|tag| PyBytes::new(py, &tag)));
    PyList::new(py, done.into_iter().map(bytes))
}

/// Takes cells of many circuits from the clients' side, side by side, as Relay.forward does. relays, commands: one for all, or an iterable
/// with one for each cell. The cells of a circuit are done in their order.
#[pyfunction]
#[pyo3(signature = (relays, cells, commands=None), text_signature = "(relays, cells, commands=3)")]
pub(crate) fn forward_many<'py>(
    relays: &Bound<'py, PyAny>,
    cells: &Bound<'py, PyAny>,
    commands: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = relays.py();
    with_tags(py, many(py, circuits(relays, cells, commands)?, cgo::forward)?)
}

/// Takes cells of many circuits from the side away from the clients, as Relay.backward does, and arguments as forward_many does.
#[pyfunction]
#[pyo3(signature = (relays, cells, commands=None), text_signature = "(relays, cells, commands=3)")]
pub(crate) fn backward_many<'py>(
    relays: &Bound<'py, PyAny>,
    cells: &Bound<'py, PyAny>,
    commands: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = relays.py();
    let done = many(py, circuits(relays, cells, commands)?, cgo::backward)?;
    PyList::new(py, done.into_iter().map(|waiting| PyBytes::new(py, &waiting.cell)))
}

/// Encrypts cells of relays for the clients of many circuits, as Relay.originate does, and takes arguments as forward_many does.
#[pyfunction]
#[pyo3(signature = (relays, cells, commands=None), text_signature = "(relays, cells, commands=3)")]
pub(crate) fn originate_many<'py>(
    relays: &Bound<'py, PyAny>,
    cells: &Bound<'py, PyAny>,
    commands: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = relays.py();
    with_tags(py, many(py, circuits(relays, cells, commands)?, cgo::originate)?)
}
