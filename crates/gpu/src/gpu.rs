//! A device in use: its programs, and the pipeline that takes data through it.

use core::fmt;
use core::ops::Range;
use std::collections::BTreeMap;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl3::context::Context;
use opencl3::device::Device as Described;
use opencl3::kernel::Kernel;

use crate::Error;
use crate::cache::Cache;
use crate::device::Device;
use crate::options::{Fault, LEAST_CHUNK, Options};
use crate::program::{self, Origin, Program, StatePlace};
use crate::slot::{KeyBuffer, Launch, Slot, Times, Words4};
use crate::wait::Patience;

/// Chunks that are under way at the same time: one that is copied to the device, one that is computed on, one that is
/// copied back.
pub const CHUNKS_UNDER_WAY: usize = 3;

/// A device in use. It is opened once and shared by any number of ciphers and threads, which take turns.
pub struct Gpu {
    device: Device,
    cache: Cache,
    fault: Option<Fault>,
    rc4_state: StatePlace,
    /// Bytes of a chunk.
    chunk: usize,
    copy_threads: usize,
    /// The key buffer of kernels that use no round keys.
    no_keys: KeyBuffer,
    patience: Arc<Patience>,
    /// The process that took the device into use. A child of `fork` has none of the driver's threads, and would wait for
    /// them until the limit has passed.
    process: u32,
    state: Mutex<State>,
    context: Context,
}

/// The parts of a device that change.
struct State {
    slots: Vec<Slot>,
    programs: BTreeMap<Program, Kernels>,
    /// The names of the self-tests that have passed.
    tested: Vec<&'static str>,
    /// True if the device failed; it is not used any more.
    failed: bool,
    chunks: u64,
}

/// The kernels of a program by their names.
type Kernels = BTreeMap<String, Kernel>;

/// Work that goes through a device chunk by chunk. Each chunk is in a slot, and the slots take turns: chunk `n` is in slot
/// `n` modulo their number.
pub(crate) trait Work {
    /// Returns the program whose kernels it uses.
    fn program(&self) -> Program;
    /// Writes the next chunk of a slot to the staging buffer and returns the task for it; none if there is no more.
    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task>;
    /// Hands out the results of the chunk in a slot if they agree with the CPU's; true if they do.
    fn take(&mut self, slot: usize, staging: &[u8]) -> bool;
}

/// The work on a chunk.
#[derive(Clone)]
pub(crate) struct Task {
    /// The part of the staging buffer that goes to the device.
    pub(crate) up: Range<usize>,
    /// Kernels, one after the other.
    pub(crate) steps: Vec<KernelCall>,
    /// The part of the staging buffer that comes back.
    pub(crate) down: Range<usize>,
}

/// A kernel with its arguments; `modes.cl`, `many_keys.cl` and `rc4.cl` describe them.
#[derive(Clone, Copy)]
pub(crate) struct KernelCall {
    pub(crate) kernel: &'static str,
    pub(crate) how: [u32; 4],
    pub(crate) first: [u32; 4],
    pub(crate) mask: [u32; 4],
    pub(crate) items: usize,
}

impl Gpu {
    /// Takes a device into use. Kernels are compiled when they are first wanted, and tested against the CPU then.
    ///
    /// # Errors
    /// [`Error::Unsuitable`], [`Error::OutOfMemory`], [`Error::TimedOut`], [`Error::Call`].
    ///
    /// # Panics
    /// If [`Options::chunk`] is no multiple of 64, or shorter than [`LEAST_CHUNK`].
    pub fn open(device: &Device, options: &Options) -> Result<Arc<Self>, Error> {
        assert!(
            options.chunk >= LEAST_CHUNK && options.chunk.is_multiple_of(64),
            "a chunk has at least {LEAST_CHUNK} bytes and a multiple of 64"
        );
        device.check()?;
        let context = Context::from_device(&Described::new(device.id)).map_err(Error::of_call)?;
        let patience = Arc::new(Patience::new(options.time_limit));
        let state = State {
            slots: Vec::new(),
            programs: BTreeMap::new(),
            tested: Vec::new(),
            failed: false,
            chunks: 0,
        };
        Ok(Arc::new(Self {
            device: device.clone(),
            cache: Cache::in_folder(options.cache.as_deref()),
            fault: options.fault,
            rc4_state: options.rc4_state.unwrap_or(StatePlace::of(device.kind())),
            chunk: options.chunk,
            copy_threads: options.copy_threads,
            no_keys: KeyBuffer::new(&context, &[0; 16], &patience)?,
            patience,
            process: process::id(),
            state: Mutex::new(state),
            context,
        }))
    }

    /// Returns the device that this uses.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// True if the device has not failed, and was taken into use by this process.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.usable_state().is_ok()
    }

    /// True if no time limit has passed and this process took the device into use: the checks without the state, for which a
    /// thread would wait until others are done.
    fn may_be_waited_for(&self) -> bool {
        !self.patience.is_exhausted() && self.process == process::id()
    }

    pub(crate) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Returns the number of threads that copy to staging buffers and from them.
    pub(crate) fn copy_threads(&self) -> usize {
        self.copy_threads
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn upload_keys(&self, keys: &[u8]) -> Result<KeyBuffer, Error> {
        if !self.may_be_waited_for() {
            return Err(Error::Dropped);
        }
        KeyBuffer::new(&self.context, keys, &self.patience)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state and returns it, if the device may be used.
    fn usable_state(&self) -> Result<MutexGuard<'_, State>, Error> {
        if !self.may_be_waited_for() {
            return Err(Error::Dropped);
        }
        let state = self.state();
        if state.failed { Err(Error::Dropped) } else { Ok(state) }
    }

    /// Compiles a program if it is not there yet, and has the self-test of a cipher run that uses it, once. A program from
    /// the cache that fails is compiled anew.
    pub(crate) fn ready(
        self: &Arc<Self>,
        program: Program,
        cipher: &'static str,
        test: impl Fn(&Arc<Self>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.state().tested.contains(&cipher) {
            return Ok(());
        }
        let from_cache = self.load(program, true)?;
        match test(self) {
            Err(Error::WrongResult { .. }) if from_cache => {
                let mut state = self.state();
                state.programs.remove(&program);
                state.failed = false;
                drop(state);
                self.load(program, false)?;
                test(self)?;
            }
            tested => tested?,
        }
        self.state().tested.push(cipher);
        Ok(())
    }

    /// Compiles a program, or takes it from the cache; whether it is from there.
    fn load(&self, program: Program, may_be_cached: bool) -> Result<bool, Error> {
        let mut state = self.usable_state()?;
        if state.programs.contains_key(&program) {
            return Ok(false);
        }
        let cache = if may_be_cached { &self.cache } else { &Cache::default() };
        let (compiled, origin) = program.compile(&self.context, &self.device, cache, self.rc4_state)?;
        let names: Vec<String> = compiled.kernel_names().split(';').map(str::to_owned).collect();
        let mut kernels = Kernels::new();
        for name in names {
            kernels.insert(name.clone(), Kernel::create(&compiled, &name).map_err(Error::of_call)?);
        }
        state.programs.insert(program, kernels);
        Ok(match origin {
            Origin::Cache => true,
            Origin::Source(name) => {
                if let Some(binary) = program::binary(&compiled) {
                    self.cache.put(&name, &binary);
                }
                false
            }
        })
    }

    /// Does work on the device, of which the last chunk may be shorter than others. `keys` are for kernels that want round
    /// keys. When it fails, the work has handed out the chunks before the one that failed.
    pub(crate) fn run(&self, work: &mut dyn Work, keys: Option<&KeyBuffer>) -> Result<Times, Error> {
        let mut state = self.usable_state()?;
        let ran = self.run_in(&mut state, work, keys);
        if matches!(ran, Err(Error::WrongResult { .. } | Error::Lost { .. } | Error::TimedOut { .. })) {
            state.failed = true;
        }
        ran
    }

    fn run_in(
        &self,
        state: &mut State,
        work: &mut dyn Work,
        keys: Option<&KeyBuffer>,
    ) -> Result<Times, Error> {
        while state.slots.len() < CHUNKS_UNDER_WAY {
            state.slots.push(Slot::new(&self.context, self.chunk, &self.patience)?);
        }
        let State { slots, programs, chunks, .. } = state;
        // A panic may have left chunks of other work.
        for slot in &mut *slots {
            slot.finish()?;
        }
        let kernels = programs.get(&work.program()).expect("programs are loaded before they are used");
        let ran = self.pass_through(slots, chunks, kernels, work, keys);
        if ran.is_err() {
            // Commands still under way refer to the staging buffers and to `keys`, and their results are of no use.
            for slot in slots {
                let _ = slot.finish();
            }
        }
        ran
    }

    fn pass_through(
        &self,
        slots: &mut [Slot],
        chunks: &mut u64,
        kernels: &Kernels,
        work: &mut dyn Work,
        keys: Option<&KeyBuffer>,
    ) -> Result<Times, Error> {
        let mut times = Times::default();
        let mut idle = 0;
        let mut started = *chunks;
        for at in (0..slots.len()).cycle() {
            let slot = &mut slots[at];
            if slot.is_busy() {
                times.add(slot.finish()?);
                self.fail_on_purpose(*chunks, slot)?;
                *chunks += 1;
                if !work.take(at, slot.staging()) {
                    return Err(Error::WrongResult { device: self.device.name().to_owned() });
                }
            }
            let Some(task) = work.next(at, slot.staging()) else {
                idle += 1;
                if idle == CHUNKS_UNDER_WAY {
                    break;
                }
                continue;
            };
            idle = 0;
            let launch = |call: &KernelCall| Launch {
                kernel: kernels.get(call.kernel).expect("kernels are called by their names"),
                keys: keys.unwrap_or(&self.no_keys),
                how: Words4(call.how),
                first: Words4(call.first),
                mask: Words4(call.mask),
                items: call.items,
            };
            let launches: Vec<Launch<'_>> = task.steps.iter().map(launch).collect();
            if let Some(Fault::Hangs { from_chunk, limit }) = self.fault
                && started >= from_chunk
            {
                limit.into_iter().for_each(|limit| self.patience.set_limit(limit));
                slot.hang(&self.context)?;
            }
            started += 1;
            slot.start(task.up, &launches, task.down)?;
        }
        Ok(times)
    }

    fn fail_on_purpose(&self, chunk: u64, slot: &mut Slot) -> Result<(), Error> {
        match self.fault {
            Some(Fault::WrongBit { from_chunk }) if chunk >= from_chunk => slot.staging()[0] ^= 1,
            Some(Fault::Lost { from_chunk }) if chunk >= from_chunk => return Err(Error::Lost { code: -5 }),
            Some(Fault::OutOfMemory { from_chunk }) if chunk >= from_chunk => return Err(Error::OutOfMemory),
            _ => {}
        }
        Ok(())
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("device", &self.device).finish_non_exhaustive()
    }
}
