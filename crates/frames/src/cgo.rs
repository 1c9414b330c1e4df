//! Counter Galois Onion, Tor's encryption of relay cells (Degabriele, Melloni, Münch and Stam, eprint 2025/583; proposal 359): what relays
//! and clients keep of a circuit, and cells of many circuits in one call.
//!
//! A cell is here without its header: 509 bytes, of which the first 16 are its tag. The byte of the header that tells a RELAY cell from
//! a RELAY_EARLY cell is hashed, too, so a cell keeps its command on its way. Relays encrypt and the client decrypts, whatever the
//! direction: a cell that was changed comes out of a relay as noise.
//!
//! ```
//! use abreast::aes::Aes128;
//! use abreast_frames::cgo::{Client, Hop, RELAY, Relay, Seeds};
//!
//! // Of each handshake: the keys of both directions, and the binding of the circuit.
//! let material = [[1; 180], [2; 180]];
//! let [first, second] = [Seeds::<Aes128>::of(&material[0])?, Seeds::of(&material[1])?];
//! let (mut relays, mut hops) = ([Relay::new(&first), Relay::new(&second)], [Hop::new(&first), Hop::new(&second)]);
//! let mut client = Client(&mut hops);
//!
//! // The client sends to the second hop. The payload follows the tag.
//! let mut cell = [7; 509];
//! let tag = client.originate(1, RELAY, &mut cell)?;
//! assert_eq!(relays[0].forward(RELAY, &mut cell), None);
//! assert_eq!(relays[1].forward(RELAY, &mut cell), Some(tag));
//! assert_eq!(cell[16..], [7; 493]);
//!
//! // The second hop answers.
//! let tag = relays[1].originate(RELAY, &mut cell);
//! relays[0].backward(RELAY, &mut cell);
//! let received = client.backward(RELAY, &mut cell).expect("a cell of a hop");
//! assert_eq!((received.hop, received.tag, &cell[16..]), (1, tag, &[7; 493][..]));
//! # Ok::<(), abreast_frames::cgo::CgoError>(())
//! ```
//!
//! A cell that the end of its way recognizes changes the keys of its direction. So a relay does the cells of a circuit one after the
//! other, and those of many circuits side by side: [`forward`], [`backward`], [`originate`], and for clients [`client_originate`] and
//! [`client_backward`]. Each circuit is in a batch with one cell, by the `&mut` that the batch has of it; further cells go into the next
//! batch.
//!
//! A circuit takes 2 KiB at a relay with AES-128, and as much for each hop at a client.

use abreast::modes::{Uiv, UivCell, UivCipher, UivUpdate};
use abreast::{Counted, Error, Kernel, Wiped};
use core::fmt;
use core::marker::PhantomData;
use core::slice::from_mut;

/// Bytes of a cell without its header.
pub const CELL: usize = 509;

/// Bytes of the tag, with which a cell begins.
pub const TAG: usize = 16;

/// Bytes that bind other messages to the circuit.
pub const BINDING: usize = 20;

/// The command byte of a RELAY cell.
pub const RELAY: u8 = 3;

/// The command byte of a RELAY_EARLY cell.
pub const RELAY_EARLY: u8 = 9;

/// A cell without its header.
pub type Cell = [u8; CELL];

/// The tag of a cell, which acknowledgements of it (SENDME) repeat.
pub type Tag = [u8; TAG];

/// Circuits of a batch that are done together.
const AT_ONCE: usize = 32;

/// The keys of a circuit at one hop, as its handshake derives them, for a cipher.
#[derive(Clone, Copy)]
pub struct Seeds<'a, C> {
    forward: &'a [u8],
    backward: &'a [u8],
    binding: &'a [u8; BINDING],
    cipher: PhantomData<fn() -> C>,
}

impl<'a, C: UivCipher> Seeds<'a, C> {
    /// Bytes of keys: the seeds of both directions and the binding. 180 for AES-128, 244 for AES-256.
    pub const LEN: usize = 2 * C::SEED + BINDING;

    /// Takes the keys in their order: away from the client, towards it, and the binding.
    ///
    /// # Errors
    /// [`CgoError::Length`] if there are not [`LEN`](Self::LEN) bytes.
    pub fn of(keys: &'a [u8]) -> Result<Self, CgoError> {
        let wrong = CgoError::Length { given: keys.len(), accepted: Self::LEN };
        let (seeds, binding) = keys.split_last_chunk().ok_or(wrong)?;
        match seeds.split_at_checked(C::SEED) {
            Some((forward, backward)) if backward.len() == C::SEED => {
                Ok(Self { forward, backward, binding, cipher: PhantomData })
            }
            _ => Err(wrong),
        }
    }

    /// Returns the bytes by which other messages are bound to the circuit.
    ///
    /// ```
    /// use abreast::aes::Aes128;
    /// use abreast_frames::cgo::Seeds;
    ///
    /// let material: Vec<u8> = (0..180).collect();
    /// assert_eq!(Seeds::<Aes128>::of(&material)?.binding(), &material[160..]);
    /// # Ok::<(), abreast_frames::cgo::CgoError>(())
    /// ```
    #[must_use]
    pub fn binding(&self) -> &'a [u8; BINDING] {
        self.binding
    }
}

impl<C> fmt::Debug for Seeds<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seeds").finish_non_exhaustive()
    }
}

/// One direction of a circuit at a hop.
struct State<C: UivCipher> {
    uiv: Uiv<C>,
    /// The tag of the cell before, which the next one takes up.
    last: Tag,
}

impl<C: UivCipher> State<C> {
    fn made(seed: &[u8], kernel: Option<Kernel>) -> Result<Self, Error> {
        let uiv = kernel.map_or_else(|| Uiv::new(seed), |kernel| Uiv::with_kernel(seed, kernel));
        Ok(Self { uiv: uiv?, last: [0; TAG] })
    }

    fn cell<'t>(&'t self, command: u8, cell: &'t mut Cell) -> UivCell<'t, C> {
        UivCell::new(&self.uiv, &self.last, command, cell)
    }
}

/// Does something with what each circuit of up to [`AT_ONCE`] has, in its place.
fn each<'t, T, U>(
    items: &'t mut [T],
    of: impl Fn(&'t mut T) -> Option<U>,
    work: impl FnOnce(&mut [Option<U>]),
) {
    let (mut window, count) = ([const { None }; AT_ONCE], items.len());
    for (place, item) in window.iter_mut().zip(items) {
        *place = of(item);
    }
    work(&mut window[..count]);
}

/// Returns the tag of a cell.
fn tag_of(cell: &Cell) -> Tag {
    let mut tag = [0; TAG];
    tag.copy_from_slice(&cell[..TAG]);
    tag
}

/// The states of both directions.
struct Both<C: UivCipher> {
    forward: State<C>,
    backward: State<C>,
}

impl<C: UivCipher> Both<C> {
    fn made(seeds: &Seeds<'_, C>, kernel: Option<Kernel>) -> Result<Self, Error> {
        let (forward, backward) = (State::made(seeds.forward, kernel)?, State::made(seeds.backward, kernel)?);
        Ok(Self { forward, backward })
    }
}

macro_rules! made_of_seeds {
    ($type:ident, $of:literal) => {
        impl<C: UivCipher> $type<C> {
            #[doc = concat!("Makes the state of ", $of, " at its beginning, for the best kernel of this CPU.")]
            #[must_use]
            pub fn new(seeds: &Seeds<'_, C>) -> Self {
                Self(Wiped::new(Both::made(seeds, None).expect("seeds are as long as their cipher has them")))
            }

            #[doc = concat!("Makes the state of ", $of, " at its beginning, for a given kernel of the cipher.")]
            ///
            /// # Errors
            /// [`Error::KernelUnavailable`]; [`Error::OutOfMemory`] for a bit-sliced one.
            pub fn with_kernel(seeds: &Seeds<'_, C>, kernel: Kernel) -> Result<Self, Error> {
                Both::made(seeds, Some(kernel)).map(|both| Self(Wiped::new(both)))
            }

            /// Goes on from the middle of a circuit, with the last tags: for tests.
            #[doc(hidden)]
            #[must_use]
            pub fn after(mut self, forward: &Tag, backward: &Tag) -> Self {
                (self.0.forward.last, self.0.backward.last) = (*forward, *backward);
                self
            }
        }

        impl<C: UivCipher> fmt::Debug for $type<C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    };
}

/// A circuit at a relay.
pub struct Relay<C: UivCipher>(Wiped<Both<C>>);
made_of_seeds!(Relay, "a circuit");

impl<C: UivCipher> Relay<C> {
    /// Takes a cell from the client's side. Returns its tag if the cell is for this relay: then it is plaintext, and the keys are new.
    /// Otherwise it is for the next relay.
    pub fn forward(&mut self, command: u8, cell: &mut Cell) -> Option<Tag> {
        let mut cell = RelayCell::new(self, command, cell);
        forward(from_mut(&mut cell));
        cell.tag
    }

    /// Takes a cell from the side away from the client, for the one before.
    pub fn backward(&mut self, command: u8, cell: &mut Cell) {
        backward(from_mut(&mut RelayCell::new(self, command, cell)));
    }

    /// Encrypts a cell of this relay for the client, and makes new keys. The payload comes after the first 16 bytes, which the tag
    /// takes. Returns the tag.
    pub fn originate(&mut self, command: u8, cell: &mut Cell) -> Tag {
        let mut cell = RelayCell::new(self, command, cell);
        originate(from_mut(&mut cell));
        self.0.backward.last
    }
}

/// A cell with its circuit at a relay, in a batch.
pub struct RelayCell<'a, C: UivCipher> {
    /// The circuit.
    pub relay: &'a mut Relay<C>,
    /// The command byte of the header: [`RELAY`] or [`RELAY_EARLY`].
    pub command: u8,
    /// The cell.
    pub cell: &'a mut Cell,
    /// The result: the tag of a cell that is for this relay or was originated by it, and otherwise none.
    pub tag: Option<Tag>,
}

impl<'a, C: UivCipher> RelayCell<'a, C> {
    /// Makes a cell that waits for a batch.
    #[inline]
    pub fn new(relay: &'a mut Relay<C>, command: u8, cell: &'a mut Cell) -> Self {
        Self { relay, command, cell, tag: None }
    }
}

impl<C: UivCipher> fmt::Debug for RelayCell<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayCell").field("command", &self.command).finish_non_exhaustive()
    }
}

/// Takes cells of many circuits from the clients' side, as [`Relay::forward`] does.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::cgo::{self, RELAY, Relay, RelayCell, Seeds};
///
/// let material = [[1; 180], [2; 180]];
/// let mut circuits = [Relay::new(&Seeds::<Aes128>::of(&material[0])?), Relay::new(&Seeds::of(&material[1])?)];
/// let mut cells = [[0; 509]; 2];
/// let mut batch: Vec<_> = (circuits.iter_mut().zip(&mut cells))
///     .map(|(relay, cell)| RelayCell::new(relay, RELAY, cell))
///     .collect();
/// cgo::forward(&mut batch);
/// // Noise: no client made these cells.
/// assert!(batch.iter().all(|cell| cell.tag.is_none()));
/// # Ok::<(), abreast_frames::cgo::CgoError>(())
/// ```
pub fn forward<C: UivCipher>(cells: &mut [RelayCell<'_, C>]) {
    for cells in cells.chunks_mut(AT_ONCE) {
        for cell in &mut *cells {
            cell.tag = Some(tag_of(cell.cell));
        }
        each(cells, |cell| Some(cell.relay.0.forward.cell(cell.command, cell.cell)), Uiv::encrypt_each);
        for cell in &mut *cells {
            let state = &mut cell.relay.0.forward;
            state.last = tag_of(cell.cell);
            if !state.uiv.is_nonce(&state.last) {
                cell.tag = None;
            }
        }
        each(
            cells,
            |cell| {
                let State { uiv, last } = &mut cell.relay.0.forward;
                cell.tag.map(|_| UivUpdate::new(uiv, last))
            },
            Uiv::update_each,
        );
    }
}

/// Takes cells of many circuits from the side away from the clients, as [`Relay::backward`] does.
pub fn backward<C: UivCipher>(cells: &mut [RelayCell<'_, C>]) {
    for cells in cells.chunks_mut(AT_ONCE) {
        encrypt_backward(cells);
        cells.iter_mut().for_each(|cell| cell.tag = None);
    }
}

/// Encrypts cells of many circuits for their clients, and makes new keys, as [`Relay::originate`] does.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::cgo::{self, Client, Hop, RELAY, Relay, RelayCell, Seeds};
///
/// let seeds = Seeds::<Aes128>::of(&[1; 180])?;
/// let (mut relay, mut hops, mut cell) = (Relay::new(&seeds), [Hop::new(&seeds)], [7; 509]);
/// let mut batch = [RelayCell::new(&mut relay, RELAY, &mut cell)];
/// cgo::originate(&mut batch);
/// let tag = batch[0].tag;
/// let received = Client(&mut hops).backward(RELAY, &mut cell);
/// assert_eq!(received.map(|received| received.tag), tag);
/// # Ok::<(), abreast_frames::cgo::CgoError>(())
/// ```
pub fn originate<C: UivCipher>(cells: &mut [RelayCell<'_, C>]) {
    for cells in cells.chunks_mut(AT_ONCE) {
        for cell in &mut *cells {
            cell.cell[..TAG].copy_from_slice(cell.relay.0.backward.uiv.nonce());
        }
        encrypt_backward(cells);
        each(
            cells,
            |cell| {
                let State { uiv, last } = &mut cell.relay.0.backward;
                Some(UivUpdate::new(uiv, last))
            },
            Uiv::update_each,
        );
        cells.iter_mut().for_each(|cell| cell.tag = Some(cell.relay.0.backward.last));
    }
}

/// Encrypts cells towards the client.
fn encrypt_backward<C: UivCipher>(cells: &mut [RelayCell<'_, C>]) {
    each(cells, |cell| Some(cell.relay.0.backward.cell(cell.command, cell.cell)), Uiv::encrypt_each);
    for cell in cells {
        cell.relay.0.backward.last = tag_of(cell.cell);
    }
}

/// A hop of a circuit at the client.
pub struct Hop<C: UivCipher>(Wiped<Both<C>>);
made_of_seeds!(Hop, "a hop");

/// A circuit at the client: its hops, the nearest one first.
pub struct Client<'a, C: UivCipher>(pub &'a mut [Hop<C>]);

/// A cell that came back to the client and is for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The number of the hop that originated the cell, from 0 on.
    pub hop: usize,
    /// The tag of the cell.
    pub tag: Tag,
}

impl<C: UivCipher> Client<'_, C> {
    /// Encrypts a cell for a hop, counted from 0, and makes new keys of that hop. The payload comes after the first 16 bytes, which
    /// the tag takes. Returns the tag.
    ///
    /// # Errors
    /// [`CgoError::Hop`] if the circuit has no such hop; then nothing was done.
    pub fn originate(&mut self, hop: usize, command: u8, cell: &mut Cell) -> Result<Tag, CgoError> {
        let mut cell = ClientCell::new(self.0, hop, command, cell);
        client_originate(from_mut(&mut cell));
        cell.result.map(|received| received.tag)
    }

    /// Takes off the layers of a cell, up to that of the hop that originated it. None if that is none of them: then the cell
    /// is noise, and Tor closes the circuit.
    pub fn backward(&mut self, command: u8, cell: &mut Cell) -> Option<Received> {
        let mut cell = ClientCell::new(self.0, 0, command, cell);
        client_backward(from_mut(&mut cell));
        cell.result.ok()
    }
}

impl<C: UivCipher> fmt::Debug for Client<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("hops", &self.0.len()).finish_non_exhaustive()
    }
}

/// A cell with its circuit at the client, in a batch.
pub struct ClientCell<'a, C: UivCipher> {
    /// The hops, the nearest one first.
    pub hops: &'a mut [Hop<C>],
    /// The hop that a cell is originated for, counted from 0. Not looked at in a cell that comes back.
    pub hop: usize,
    /// The command byte of the header: [`RELAY`] or [`RELAY_EARLY`].
    pub command: u8,
    /// The cell.
    pub cell: &'a mut Cell,
    /// The result: the hop and the tag; [`CgoError::Hop`] if the circuit has not that hop, [`CgoError::Unrecognized`] if a cell that
    /// came back is from none, and before a batch.
    pub result: Result<Received, CgoError>,
    /// The tag of the cell before the layer that is taken off.
    before: Tag,
}

impl<'a, C: UivCipher> ClientCell<'a, C> {
    /// Makes a cell that waits for a batch.
    #[inline]
    pub fn new(hops: &'a mut [Hop<C>], hop: usize, command: u8, cell: &'a mut Cell) -> Self {
        let result = Err(CgoError::Unrecognized);
        Self { hops, hop, command, cell, result, before: [0; TAG] }
    }
}

impl<C: UivCipher> ClientCell<'_, C> {
    /// True if the cell was neither refused nor recognized yet.
    fn waits(&self) -> bool {
        self.result == Err(CgoError::Unrecognized)
    }
}

impl<C: UivCipher> fmt::Debug for ClientCell<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCell").field("result", &self.result).finish_non_exhaustive()
    }
}

/// Encrypts cells of many circuits, each for a hop of its own, as [`Client::originate`] does.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::cgo::{self, ClientCell, Hop, RELAY, Relay, Seeds};
///
/// let seeds = Seeds::<Aes128>::of(&[1; 180])?;
/// let (mut relay, mut hops, mut cell) = (Relay::new(&seeds), [Hop::new(&seeds)], [7; 509]);
/// let mut batch = [ClientCell::new(&mut hops, 0, RELAY, &mut cell)];
/// cgo::client_originate(&mut batch);
/// let tag = batch[0].result?.tag;
/// assert_eq!(relay.forward(RELAY, &mut cell), Some(tag));
/// # Ok::<(), abreast_frames::cgo::CgoError>(())
/// ```
pub fn client_originate<C: UivCipher>(cells: &mut [ClientCell<'_, C>]) {
    for cells in cells.chunks_mut(AT_ONCE) {
        for cell in &mut *cells {
            let (given, hops) = (cell.hop, cell.hops.len());
            cell.result = match cell.hops.get(given) {
                Some(hop) => {
                    cell.cell[..TAG].copy_from_slice(hop.0.forward.uiv.nonce());
                    Err(CgoError::Unrecognized)
                }
                None => Err(CgoError::Hop { given, hops }),
            };
        }
        let layers = cells.iter().filter(|cell| cell.waits()).map(|cell| cell.hop + 1).max().unwrap_or(0);
        for layer in 0..layers {
            // The layer of the hop that a cell is for comes first, and that of the nearest one last.
            decrypt(
                cells,
                |both| &mut both.forward,
                |cell| cell.hop.checked_sub(layer).filter(|_| cell.hop < cell.hops.len()),
            );
            if layer == 0 {
                for cell in &mut *cells {
                    if cell.waits() {
                        cell.result = Ok(Received { hop: cell.hop, tag: tag_of(cell.cell) });
                    }
                }
                each(
                    cells,
                    |cell| {
                        cell.result.ok()?;
                        let uiv = &mut cell.hops.get_mut(cell.hop)?.0.forward.uiv;
                        let nonce = *uiv.nonce();
                        Some(UivUpdate::new(uiv, &nonce))
                    },
                    Uiv::update_each,
                );
            }
        }
    }
}

/// Takes off the layers of cells of many circuits, as [`Client::backward`] does.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::cgo::{self, ClientCell, Hop, RELAY, Received, Relay, Seeds};
///
/// let seeds = Seeds::<Aes128>::of(&[1; 180])?;
/// let (mut relay, mut hops, mut cell) = (Relay::new(&seeds), [Hop::new(&seeds)], [7; 509]);
/// let tag = relay.originate(RELAY, &mut cell);
/// let mut batch = [ClientCell::new(&mut hops, 0, RELAY, &mut cell)];
/// cgo::client_backward(&mut batch);
/// assert_eq!(batch[0].result, Ok(Received { hop: 0, tag }));
/// # Ok::<(), abreast_frames::cgo::CgoError>(())
/// ```
pub fn client_backward<C: UivCipher>(cells: &mut [ClientCell<'_, C>]) {
    for cells in cells.chunks_mut(AT_ONCE) {
        cells.iter_mut().for_each(|cell| cell.result = Err(CgoError::Unrecognized));
        let layers = cells.iter().map(|cell| cell.hops.len()).max().unwrap_or(0);
        for layer in 0..layers {
            if !cells.iter().any(ClientCell::waits) {
                break;
            }
            decrypt(cells, |both| &mut both.backward, |cell| cell.waits().then_some(layer));
            for cell in &mut *cells {
                if let Some(hop) = cell.hops.get(layer)
                    && cell.waits()
                    && hop.0.backward.uiv.is_nonce(&tag_of(cell.cell))
                {
                    cell.result = Ok(Received { hop: layer, tag: cell.before });
                }
            }
            each(
                cells,
                |cell| {
                    let tag = cell.result.ok().filter(|received| received.hop == layer)?.tag;
                    Some(UivUpdate::new(&mut cell.hops.get_mut(layer)?.0.backward.uiv, &tag))
                },
                Uiv::update_each,
            );
        }
    }
}

/// Decrypts a layer of each cell that has it, by the number of its hop.
fn decrypt<C: UivCipher>(
    cells: &mut [ClientCell<'_, C>],
    direction: impl Fn(&mut Both<C>) -> &mut State<C>,
    hop_of: impl Fn(&ClientCell<'_, C>) -> Option<usize>,
) {
    cells.iter_mut().for_each(|cell| cell.before = tag_of(cell.cell));
    each(
        cells,
        |cell| {
            let hop = hop_of(cell).and_then(|hop| cell.hops.get_mut(hop))?;
            Some(direction(&mut hop.0).cell(cell.command, cell.cell))
        },
        Uiv::decrypt_each,
    );
    for cell in cells {
        if let Some(hop) = hop_of(cell).and_then(|hop| cell.hops.get_mut(hop)) {
            direction(&mut hop.0).last = cell.before;
        }
    }
}

/// The reason why a cell or keys are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CgoError {
    /// The keys have another length than the cipher needs.
    Length {
        /// Bytes that were given.
        given: usize,
        /// Bytes that are accepted.
        accepted: usize,
    },
    /// The circuit has no such hop.
    Hop {
        /// The number that was given.
        given: usize,
        /// The hops of the circuit.
        hops: usize,
    },
    /// The cell is from no hop of the circuit, or was not processed yet.
    Unrecognized,
}

impl fmt::Display for CgoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { given, accepted } => {
                write!(f, "the keys of the circuit have {} instead of {accepted}", Counted(*given, "bytes"))
            }
            Self::Hop { given, hops } => {
                let hops = Counted(*hops, "hops");
                write!(f, "hop {given} does not exist: the circuit has {hops}, numbered from 0")
            }
            Self::Unrecognized => f.write_str("the cell is from no hop of the circuit"),
        }
    }
}

impl core::error::Error for CgoError {}
