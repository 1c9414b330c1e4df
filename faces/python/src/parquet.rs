//! Parquet modular encryption: `abreast.parquet`, on the crate `abreast-parquet`.

use abreast_parquet::key_material::{ExternalMaterial, KeyTools, Kms};
use abreast_parquet::{
    Access, Algorithm, Error, KeySource, ModuleKey, Owner, Policy, decrypt, encrypt, inspect, rewrap,
};
use abreast_sealed::output::{OutputError, Place};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

use crate::arguments::{class_of, flag, optional_text, path, required, text};
use crate::buffers::Input;
use crate::numbers::number;
use crate::sealed_files::Failed;
use crate::{errors, signals};

/// Bytes of a buffer in front of the target: headers of pages are short.
const BUFFER: usize = 1 << 20;

/// A file that is read until the work is to stop.
struct Stoppable<'a> {
    file: File,
    stop: &'a AtomicBool,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("the call was ended by a signal"));
        }
        self.file.read(buffer)
    }
}

impl Seek for Stoppable<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Opens a source. One that is no regular file is refused: a pipe would let the call wait, and cannot seek.
fn open_regular(source: &Path) -> io::Result<File> {
    if source.metadata()?.is_file() {
        return File::open(source);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file: copy it into one"))
}

/// The algorithm of a name.
fn algorithm(name: &str) -> PyResult<Algorithm> {
    let all = [Algorithm::AesGcmV1, Algorithm::AesGcmCtrV1];
    let found = all.into_iter().find(|algorithm| algorithm.name() == name);
    found.ok_or_else(|| {
        PyValueError::new_err(format!("algorithm is 'AES_GCM_V1' or 'AES_GCM_CTR_V1', and not {name:?}"))
    })
}

/// The exception of an error.
#[cold]
fn of_parquet(py: Python<'_>, error: &Error, source: &Path, target: Option<&Path>) -> PyErr {
    match error {
        Error::NotAuthentic(_) | Error::EmptyAad => errors::invalid_tag(py, error.to_string()),
        Error::Read(system) => errors::of_system(py, system, Some(source)),
        Error::Write(system) => errors::of_system(py, system, target),
        Error::Random(system) => errors::of_system(py, system, None),
        Error::MissingKey(owner) => {
            let (column, row_group) = match owner {
                Owner::Column { path, row_group } => (Some(path.as_str()), Some(*row_group)),
                _ => (None, None),
            };
            errors::missing_key(py, error.to_string(), column, row_group)
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The work on a file that is read and one that is written. Behind a pointer, so that there is one copy of what is around it.
type Work<'a> =
    &'a (dyn Fn(&mut BufReader<Stoppable<'_>>, &mut BufWriter<&File>) -> Result<(), Error> + Sync);

/// Copies a file into a new one, which appears complete or not at all.
fn copy(py: Python<'_>, source: &Path, target: &Path, replace: bool, work: Work<'_>) -> PyResult<()> {
    enum Stopped {
        Parquet(Error),
        Output(OutputError),
    }
    let copy = |stop: &AtomicBool| {
        let file = open_regular(source).map_err(|error| Stopped::Parquet(Error::Read(error)))?;
        // A file among others that programs of Parquet write, and so readable as those are.
        let place = Place::open(target, replace).map_err(Stopped::Output)?.with_umask();
        let mut reader = BufReader::new(Stoppable { file, stop });
        let mut output = place.create().map_err(Stopped::Output)?;
        let mut writer = BufWriter::with_capacity(BUFFER, output.file());
        work(&mut reader, &mut writer).map_err(Stopped::Parquet)?;
        let written = |error| Stopped::Parquet(Error::Write(error));
        writer.flush().map_err(written)?;
        drop(writer);
        output.sync().map_err(written)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        output.publish().map(drop).map_err(Stopped::Output)
    };
    signals::beside(py, copy)?.map_err(|error| match error {
        Stopped::Parquet(error) => of_parquet(py, &error, source, Some(target)),
        Stopped::Output(error) => Failed::Output(error).into_py(py, source, Some(target)),
    })
}

/// Encrypts a file of Parquet into a new one.
#[pyfunction]
#[pyo3(signature = (source, target, footer_key, footer_key_metadata, column_keys, algorithm, plaintext_footer, aad_prefix, store_aad_prefix, replace))]
#[expect(clippy::too_many_arguments, reason = "those of `encrypt`")]
pub(crate) fn encrypt_parquet(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] target: PathBuf,
    footer_key: Input<'_>,
    footer_key_metadata: Option<Input<'_>>,
    column_keys: Vec<(String, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    #[pyo3(from_py_with = text)] algorithm: &str,
    #[pyo3(from_py_with = flag)] plaintext_footer: bool,
    aad_prefix: Option<Input<'_>>,
    #[pyo3(from_py_with = flag)] store_aad_prefix: bool,
    #[pyo3(from_py_with = flag)] replace: bool,
) -> PyResult<()> {
    let of = |error: Error| of_parquet(py, &error, &source, Some(&target));
    let mut policy = Policy::new(&footer_key).map_err(of)?;
    policy = policy.algorithm(self::algorithm(algorithm)?).plaintext_footer(plaintext_footer);
    if let Some(metadata) = &footer_key_metadata {
        policy = policy.footer_key_metadata(metadata);
    }
    for (path, key, metadata) in &column_keys {
        let (key, metadata) = (key.extract::<Input<'_>>()?, metadata.extract::<Option<Input<'_>>>()?);
        policy = policy.column(path, &key, metadata.as_deref()).map_err(of)?;
    }
    if let Some(prefix) = &aad_prefix {
        policy = policy.aad_prefix(prefix, store_aad_prefix).map_err(of)?;
    }
    copy(py, &source, &target, replace, &|reader, writer| encrypt(reader, writer, &policy).map(drop))
}

/// Keys that a function of Python returns: of the metadata of a key, and of the path of a column or None.
struct Asked<'a> {
    function: &'a Py<PyAny>,
    /// The exception of the function, which ends the work.
    raised: Mutex<Option<PyErr>>,
}

impl Asked<'_> {
    fn key(
        &self,
        owner: &Owner,
        path: Option<&str>,
        metadata: Option<&[u8]>,
    ) -> Result<Option<Arc<ModuleKey>>, Error> {
        let asked = Python::attach(|py| {
            let metadata = metadata.map(|metadata| PyBytes::new(py, metadata));
            let answer = self.function.bind(py).call1((metadata, path))?;
            answer.extract::<Option<Input<'_>>>().map(|key| key.map(|key| ModuleKey::new(&key)))
        });
        match asked {
            Ok(key) => Ok(key.transpose()?.map(Arc::new)),
            Err(error) => Err(self.failed(owner, error)),
        }
    }

    /// Keeps the exception of a function.
    #[cold]
    fn failed(&self, owner: &Owner, error: PyErr) -> Error {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        Error::Key { owner: owner.clone(), reason: "the function of keys raised".to_owned() }
    }

    /// Returns the exception that was kept, or else what was done.
    fn passed_on(self, done: PyResult<()>) -> PyResult<()> {
        let raised = self.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        raised.map_or(done, Err)
    }
}

impl KeySource for Asked<'_> {
    fn footer_key(&self, metadata: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
        self.key(&Owner::Footer, None, metadata)
    }

    fn column_key(
        &self,
        owner: &Owner,
        path: &str,
        metadata: Option<&[u8]>,
    ) -> Result<Option<Arc<ModuleKey>>, Error> {
        self.key(owner, Some(path), metadata)
    }
}

/// Decrypts a file of Parquet into a new one, with the keys that a function returns.
#[pyfunction]
#[pyo3(signature = (source, target, key_of, aad_prefix, empty_aad, replace))]
pub(crate) fn decrypt_parquet(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] target: PathBuf,
    key_of: Py<PyAny>,
    aad_prefix: Option<Input<'_>>,
    #[pyo3(from_py_with = flag)] empty_aad: bool,
    #[pyo3(from_py_with = flag)] replace: bool,
) -> PyResult<()> {
    let asked = Asked { function: &key_of, raised: Mutex::new(None) };
    let done = copy(py, &source, &target, replace, &|reader, writer| {
        let access = Access { keys: &asked, aad_prefix: aad_prefix.as_deref(), empty_aad };
        decrypt(reader, writer, access).map(drop)
    });
    asked.passed_on(done)
}

/// Copies an encrypted file with other metadata of its keys, which a function returns for the old metadata.
#[pyfunction]
#[pyo3(signature = (source, target, key_of, wrap, aad_prefix, empty_aad, replace))]
#[expect(clippy::too_many_arguments, reason = "those of `rewrap`")]
pub(crate) fn rewrap_parquet(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] target: PathBuf,
    key_of: Py<PyAny>,
    wrap: Py<PyAny>,
    aad_prefix: Option<Input<'_>>,
    #[pyo3(from_py_with = flag)] empty_aad: bool,
    #[pyo3(from_py_with = flag)] replace: bool,
) -> PyResult<()> {
    let asked = Asked { function: &key_of, raised: Mutex::new(None) };
    let done = copy(py, &source, &target, replace, &|reader, writer| {
        let access = Access { keys: &asked, aad_prefix: aad_prefix.as_deref(), empty_aad };
        let mut wrap = |owner: &Owner, old: &[u8]| {
            let new = Python::attach(|py| {
                let new = wrap.bind(py).call1((PyBytes::new(py, old),))?;
                new.extract::<Input<'_>>().map(|new| new.to_vec())
            });
            new.map_err(|error| asked.failed(owner, error))
        };
        rewrap(reader, writer, access, &mut wrap)
    });
    asked.passed_on(done)
}

/// The encryption of a file, for everybody to see.
type Seen<'py> =
    (&'static str, bool, Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>, bool, Option<Bound<'py, PyBytes>>);

/// Returns the encryption of a file of Parquet: the algorithm, true if the footer is encrypted, the AAD prefix that is stored, the number of the
/// file, true if readers give the prefix, and the metadata of the footer's key. None if the file is in clear.
#[pyfunction]
pub(crate) fn inspect_parquet(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
) -> PyResult<Option<Seen<'_>>> {
    let read = py.detach(|| {
        let mut file = open_regular(&source).map_err(Error::Read)?;
        inspect(&mut file)
    });
    let seen = read.map_err(|error| of_parquet(py, &error, &source, None))?;
    Ok(seen.map(|seen| {
        let bytes = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
        (
            seen.algorithm.name(),
            seen.encrypted_footer,
            seen.aad_prefix.map(bytes),
            bytes(seen.aad_file_unique),
            seen.supply_aad_prefix,
            seen.footer_key_metadata.map(bytes),
        )
    }))
}

/// A key service: an object of Python with `wrap_key` and `unwrap_key`, as those of pyarrow.
struct Service(Py<PyAny>);

impl Kms for Service {
    fn wrap_key(&self, key: &[u8], master_key_id: &str) -> Result<String, String> {
        let wrapped = Python::attach(|py| {
            let wrapped = self.0.bind(py).call_method1("wrap_key", (PyBytes::new(py, key), master_key_id))?;
            if let Ok(text) = wrapped.cast::<PyString>() {
                return text.to_str().map(str::to_owned);
            }
            Ok(String::from_utf8(wrapped.extract::<Input<'_>>()?.to_vec())?)
        });
        wrapped.map_err(kept)
    }

    fn unwrap_key(&self, wrapped: &str, master_key_id: &str) -> Result<Zeroizing<Vec<u8>>, String> {
        let key = Python::attach(|py| {
            let key = self.0.bind(py).call_method1("unwrap_key", (wrapped, master_key_id))?;
            key.extract::<Input<'_>>().map(|key| Zeroizing::new(key.to_vec()))
        });
        key.map_err(kept)
    }
}

/// Reads a key service.
fn service(object: &Bound<'_, PyAny>) -> PyResult<Service> {
    if object.hasattr("wrap_key")? && object.hasattr("unwrap_key")? {
        return Ok(Service(object.clone().unbind()));
    }
    Err(required("an object with wrap_key and unwrap_key", object))
}

thread_local! {
    /// The exception that a service raised in a call, which the call passes on.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Keeps an exception of a service, and returns a sentence for it.
#[cold]
fn kept(error: PyErr) -> String {
    let said = Python::attach(|py| {
        format!("the key service raised {}: {}", class_of(error.value(py)), error.value(py))
    });
    RAISED.set(Some(error));
    said
}

/// Runs something that may ask a service, and passes on its exceptions as they are.
fn asking<T: Send>(py: Python<'_>, run: impl FnOnce() -> Result<T, String> + Send) -> PyResult<T> {
    RAISED.set(None);
    py.detach(run).map_err(|text| RAISED.take().unwrap_or_else(|| PyValueError::new_err(text)))
}

/// Keys of files, wrapped by a key service, in key metadata as pyarrow and parquet-java write it.
#[pyclass(name = "KeyTools", module = "abreast.parquet", frozen)]
pub(crate) struct PyKeyTools {
    tools: KeyTools<Service>,
    double_wrapping: bool,
}

#[pymethods]
impl PyKeyTools {
    /// The tools over a key service, an object with `wrap_key` and `unwrap_key`. `material` is the contents of the file of key material
    /// beside the data, if there is one.
    #[new]
    #[pyo3(signature = (kms_client, *, double_wrapping=true, material=None))]
    fn new(
        #[pyo3(from_py_with = service)] kms_client: Service,
        #[pyo3(from_py_with = flag)] double_wrapping: bool,
        material: Option<Input<'_>>,
    ) -> PyResult<Self> {
        let material = material.map(|json| ExternalMaterial::parse(&json)).transpose();
        let material = material.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { tools: KeyTools::new(kms_client, material), double_wrapping })
    }

    /// Returns a new key under a master key, and its metadata: a value for `encrypt`. Metadata of footers names the key service.
    #[pyo3(signature = (master_key_id, *, footer=false, key_size=16))]
    fn new_key<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = text)] master_key_id: &str,
        #[pyo3(from_py_with = flag)] footer: bool,
        #[pyo3(from_py_with = number)] key_size: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        if ![16, 24, 32].contains(&key_size) {
            return Err(PyValueError::new_err(format!("a key has 16, 24 or 32 bytes, and not {key_size}")));
        }
        let kms_instance = footer.then_some(("DEFAULT", "DEFAULT"));
        let (key, material) =
            asking(py, || self.tools.generate(key_size, master_key_id, self.double_wrapping, kms_instance))?;
        Ok((PyBytes::new(py, &key), PyBytes::new(py, material.to_json(true).as_bytes())))
    }

    /// Returns the metadata of the same key, wrapped anew, under the same master key or another one. It holds the key material itself, also where
    /// the old one named that in the file of key material.
    #[pyo3(signature = (metadata, master_key_id=None))]
    fn rewrap<'py>(
        &self,
        py: Python<'py>,
        metadata: Input<'_>,
        #[pyo3(from_py_with = optional_text)] master_key_id: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let metadata: &[u8] = &metadata;
        let wrapped = asking(py, || {
            let old = self.tools.material(metadata)?;
            let key = self.tools.unwrap(&old)?;
            let instance = old.kms_instance.as_ref().map(|(id, url)| (id.as_str(), url.as_str()));
            self.tools.wrap(&key, master_key_id.unwrap_or(&old.master_key_id), self.double_wrapping, instance)
        });
        Ok(PyBytes::new(py, wrapped?.to_json(true).as_bytes()))
    }

    /// Returns the key of metadata, or None if there is none: a value for `keys` of `decrypt`.
    #[pyo3(signature = (metadata, column=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        metadata: Option<Input<'_>>,
        column: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if let Some(column) = column
            && !column.is_instance_of::<PyString>()
            && !column.is_none()
        {
            return Err(required("the path of a column as a str, or None for the footer,", column));
        }
        let Some(metadata) = metadata else { return Ok(None) };
        let metadata: &[u8] = &metadata;
        let key = asking(py, || self.tools.data_key(metadata))?;
        Ok(Some(PyBytes::new(py, &key)))
    }
}
