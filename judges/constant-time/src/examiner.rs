//! The interface between operations and the tool that watches them: it marks secret bytes, and the beginning and end of each
//! operation.
//!
//! The operations are written once, for all tools. Secrets come from standard input, a file that the program prepares,
//! and go from the kernel straight into the buffer in which they are used, so that no copy of them is left that the library
//! did not make. Tools that do not look for secrets take them from memory.

#![allow(unsafe_code, reason = "a signal to this process itself")]

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read, Seek, Write as _};
use std::ops::{Deref, DerefMut};

use abreast::Error;
use zeroize::Zeroize as _;

use crate::child;
use crate::memcheck;
use crate::stepper::{self, Stepper};

/// The tool that watches.
pub(crate) enum Tool {
    /// Valgrind, in which this process runs: secrets are marked as undefined.
    Memcheck,
    /// Single steps, whose addresses are hashed.
    Steps(Stepper),
    /// The memory of this process is looked at from outside when an operation has ended.
    Residue,
    /// A tool around this process: Miri, or a sanitizer that was compiled in.
    Around,
}

/// A source of secrets, which can be read again from its beginning.
trait Source: Read + Seek {}
impl<S: Read + Seek> Source for S {}

/// The extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Operations that fit into every run of all checks.
    Short,
    /// Every cipher, more lengths.
    Long,
}

impl Extent {
    /// Returns the argument of this program that stands for the extent.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Long => "long",
        }
    }
}

/// Bytes that are secret. They are wiped when they are dropped.
pub(crate) struct Secret(Vec<u8>);

impl Deref for Secret {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Secret {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Secret {
    /// The first 16 bytes, as a tag.
    pub(crate) fn tag(&mut self) -> &mut [u8; 16] {
        self.0.first_chunk_mut().expect("16 bytes")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The link from operations to the tool: it hands out secrets and runs each operation under watch.
pub(crate) struct Examiner {
    tool: RefCell<Tool>,
    secrets: RefCell<Box<dyn Source>>,
    /// The extent of the run.
    pub(crate) extent: Extent,
    /// Parts that the name of a subject has one of; all if there are none.
    wanted: Vec<String>,
    subject: RefCell<String>,
    operations: RefCell<u64>,
}

impl Examiner {
    /// # Panics
    /// If there is no file of secrets on standard input.
    pub(crate) fn new(tool: Tool, extent: Extent, wanted: Vec<String>) -> Self {
        let secrets: Box<dyn Source> = match tool {
            Tool::Around => Box::new(Cursor::new(child::bytes(1))),
            _ => Box::new(File::open("/proc/self/fd/0").expect("a file of secrets on standard input")),
        };
        Self {
            tool: RefCell::new(tool),
            secrets: RefCell::new(secrets),
            extent,
            wanted,
            subject: RefCell::default(),
            operations: RefCell::new(0),
        }
    }

    /// Begins a subject, a cipher on a kernel, unless it is not wanted.
    pub(crate) fn begin(&self, subject: &str) -> bool {
        let wanted = self.wanted.is_empty() || self.wanted.iter().any(|part| part == subject);
        if wanted {
            subject.clone_into(&mut self.subject.borrow_mut());
            *self.operations.borrow_mut() = 0;
            // Each subject has the same secrets, whichever went before.
            self.secrets.borrow_mut().rewind().expect("a file of secrets");
            match *self.tool.borrow() {
                Tool::Memcheck => memcheck::say(&format!("subject {subject}")),
                Tool::Residue => scrub_stack(),
                Tool::Steps(_) | Tool::Around => {}
            }
        }
        wanted
    }

    /// Ends a subject: nothing of it is alive any more.
    pub(crate) fn end(&self) {
        let (subject, operations) = (self.subject.borrow(), *self.operations.borrow());
        // The part of the stack that is in use begins about here.
        let place = 0_u8;
        line(format_args!("end {subject}\t{operations}\t{:x}", (&raw const place).addr()));
        if matches!(*self.tool.borrow(), Tool::Residue) {
            stop();
        }
    }

    /// Ends a part of a subject, of which nothing is alive any more.
    pub(crate) fn end_part(&self, part: &str) {
        if matches!(*self.tool.borrow(), Tool::Around) {
            line(format_args!("end {}, {part}", self.subject.borrow()));
        }
        if matches!(*self.tool.borrow(), Tool::Residue) {
            let place = 0_u8;
            let subject = self.subject.borrow();
            line(format_args!("end {subject}, {part}\t0\t{:x}", (&raw const place).addr()));
            stop();
            scrub_stack();
        }
    }

    /// Returns `len` secret bytes.
    pub(crate) fn secret(&self, len: usize) -> Secret {
        let mut bytes = vec![0; len];
        self.secrets.borrow_mut().read_exact(&mut bytes).expect("enough secrets on standard input");
        if matches!(*self.tool.borrow(), Tool::Memcheck) {
            memcheck::make_undefined(&bytes);
        }
        Secret(bytes)
    }

    /// Runs an operation under watch.
    pub(crate) fn run<T>(&self, name: fmt::Arguments<'_>, work: impl FnOnce() -> T) -> T {
        *self.operations.borrow_mut() += 1;
        match &mut *self.tool.borrow_mut() {
            Tool::Memcheck => {
                let before = memcheck::errors();
                let result = work();
                let found = memcheck::errors() - before;
                if found > 0 {
                    memcheck::say(&format!("operation {}: {name}: {found}", self.subject.borrow()));
                }
                result
            }
            Tool::Steps(stepper) => {
                let (result, trace) = stepper.run(work);
                line(format_args!(
                    "step {}\t{name}\t{}\t{:016x}",
                    self.subject.borrow(),
                    trace.steps,
                    trace.hash
                ));
                let record = stepper.record().iter();
                let lines: Vec<String> =
                    record.map(|(kind, value)| format!("record {kind} {value:x}")).collect();
                if !lines.is_empty() {
                    line(format_args!("{}", lines.join("\n")));
                }
                result
            }
            Tool::Residue | Tool::Around => work(),
        }
    }

    /// Runs an operation that must succeed. Its result is public.
    pub(crate) fn try_run(&self, name: fmt::Arguments<'_>, work: impl FnOnce() -> Result<(), Error>) {
        assert_eq!(self.outcome(name, work), Ok(()), "{name}");
    }

    /// Runs an operation that may return an error. Its result is public.
    pub(crate) fn outcome(
        &self,
        name: fmt::Arguments<'_>,
        work: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let result = self.run(name, work);
        self.publish(&result);
        result
    }

    /// Declares a value public from here on, whatever it was made of.
    pub(crate) fn publish<T: Copy>(&self, value: &T) {
        if matches!(*self.tool.borrow(), Tool::Memcheck) {
            memcheck::make_defined(value);
        }
    }

    /// True if the layers above the kernels are left out, which are the same for all kernels: the C interface, columns, wrong
    /// tags, small batches. Memcheck covers all of them where steps are slow.
    pub(crate) fn kernels_only(&self) -> bool {
        stepper::SLOW && self.extent == Extent::Short && self.takes_steps()
    }

    /// True if the tool takes single steps: some hundred thousand a second, and a message of 2 KB takes a million where a
    /// circuit computes the cipher.
    pub(crate) fn takes_steps(&self) -> bool {
        matches!(*self.tool.borrow(), Tool::Steps(_))
    }

    /// The lengths of messages.
    pub(crate) fn lengths(&self) -> &'static [usize] {
        match self.extent {
            Extent::Short if self.kernels_only() => &[70],
            // Miri takes a millisecond for a block.
            Extent::Short if cfg!(miri) => &[5, 75],
            Extent::Short => &[5, 300],
            Extent::Long if self.takes_steps() => &[0, 1, 17, 100, 513],
            Extent::Long => &[0, 1, 5, 8, 16, 17, 31, 48, 64, 100, 160, 256, 300, 513, 700, 1040, 2100],
        }
    }
}

/// Overwrites the free stack, so that bytes found there later come from the next operation.
#[inline(never)]
fn scrub_stack() {
    std::hint::black_box([0_u8; 1 << 18]);
}

/// Stops this process until somebody lets it go on.
fn stop() {
    // SAFETY: a signal to this process itself.
    unsafe { libc::raise(libc::SIGSTOP) };
}

/// Public bytes, such as a nonce.
pub(crate) fn public(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(91) ^ seed).collect()
}

/// Writes a line to standard output, in one call.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let text = format!("{text}\n");
    std::io::stdout().lock().write_all(text.as_bytes()).expect("standard output");
}
