//! Slots: the places in which chunks of data are on their way to a device and back. Nearly all of the crate's `unsafe` is here.
//!
//! A slot has a queue, a buffer on the device, and a staging buffer on the host that the driver has pinned, so that
//! it can be copied without the CPU. All three live as long as the device is in use. Commands of a slot run in order, and
//! several slots work at the same time: while one copies, another computes.
//!
//! Every wait uses a [`Patience`]. When its limit has passed, the device may still read and write the memory of its slots
//! and keys, so none of that is released any more, whatever is dropped.

#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use core::mem::{ManuallyDrop, forget};
use core::ops::Range;
use core::ptr::null;
use core::slice;
use std::ptr::null_mut;
use std::sync::Arc;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::event::{Event, create_user_event};
use opencl3::kernel::Kernel;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, ClMem as _,
};
use opencl3::types::CL_NON_BLOCKING;
use zeroize::Zeroizing;

use crate::Error;
use crate::program::GROUP;
use crate::wait::Patience;

/// The vector `uint4` of OpenCL C, which is aligned as a whole.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words4(pub(crate) [u32; 4]);

/// A kernel with its arguments, which are the same for all kernels: `modes.cl` describes them.
pub(crate) struct Launch<'k> {
    pub(crate) kernel: &'k Kernel,
    /// The round keys; zeros for kernels that use none.
    pub(crate) keys: &'k KeyBuffer,
    pub(crate) how: Words4,
    pub(crate) first: Words4,
    pub(crate) mask: Words4,
    pub(crate) items: usize,
}

/// The times of the parts of some work on the device, in seconds, added up over all chunks.
///
/// ```
/// use abreast_gpu::Times;
///
/// /// The share of the kernels, as of a call of [`Cipher::encrypt_raw_blocks`](abreast_gpu::Cipher::encrypt_raw_blocks).
/// fn share_of_kernels(times: Times) -> f64 {
///     times.kernels / (times.to_device + times.kernels + times.from_device)
/// }
/// assert_eq!(share_of_kernels(Times { to_device: 0.375, kernels: 0.25, from_device: 0.375 }), 0.25);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// From the staging buffer to the device.
    pub to_device: f64,
    /// Kernels.
    pub kernels: f64,
    /// From the device to the staging buffer.
    pub from_device: f64,
}

impl Times {
    pub(crate) fn add(&mut self, other: Self) {
        self.to_device += other.to_device;
        self.kernels += other.kernels;
        self.from_device += other.from_device;
    }
}

/// The part of the work that an event belongs to.
#[derive(Clone, Copy)]
enum Part {
    ToDevice,
    Kernel,
    FromDevice,
}

/// A slot.
pub(crate) struct Slot {
    /// Commands that were enqueued and have not been waited for.
    pending: Vec<(Part, Event)>,
    /// The pinned memory, mapped at `staging`.
    pinned: ManuallyDrop<Buffer<u8>>,
    staging: *mut u8,
    device: ManuallyDrop<Buffer<u8>>,
    len: usize,
    /// Bytes of both buffers, from the beginning, that have held anything.
    used: usize,
    queue: ManuallyDrop<CommandQueue>,
    patience: Arc<Patience>,
}

// SAFETY: `staging` is memory that this slot alone refers to, and handles of OpenCL may be used by any thread.
unsafe impl Send for Slot {}

impl Slot {
    /// Makes a slot for chunks of `len` bytes.
    pub(crate) fn new(context: &Context, len: usize, patience: &Arc<Patience>) -> Result<Self, Error> {
        let create = || -> Result<(Self, Event), ClError> {
            let queue = CommandQueue::create_default(context, CL_QUEUE_PROFILING_ENABLE)?;
            // SAFETY: the driver allocates the memory itself, as the null pointer says.
            let device = unsafe { Buffer::create(context, CL_MEM_READ_WRITE, len, null_mut()) }?;
            let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
            // SAFETY: as above.
            let pinned = unsafe { Buffer::create(context, flags, len, null_mut()) }?;
            let mut staging = null_mut();
            // SAFETY: the range is that of the buffer. The memory is mapped when the event is there, which is waited for
            // before anybody gets it, and it stays so until `drop` unmaps it.
            let mapped = unsafe {
                let flags = CL_MAP_READ | CL_MAP_WRITE;
                queue.enqueue_map_buffer(&pinned, CL_NON_BLOCKING, flags, 0, len, &mut staging, &[])?
            };
            let slot = Self {
                pending: Vec::new(),
                pinned: ManuallyDrop::new(pinned),
                staging: staging.cast(),
                device: ManuallyDrop::new(device),
                len,
                used: 0,
                queue: ManuallyDrop::new(queue),
                patience: patience.clone(),
            };
            slot.queue.flush()?;
            Ok((slot, mapped))
        };
        let (slot, mapped) = create().map_err(Error::of_call)?;
        patience.wait(&mapped)?;
        // A driver may allocate as late as at the first use, which is to fail here and not amid some work.
        if slot.staging.is_null() { Err(Error::OutOfMemory) } else { Ok(slot) }
    }

    /// Returns the staging buffer, if nothing is under way.
    ///
    /// # Panics
    /// If something is: the device may be writing to it.
    pub(crate) fn staging(&mut self) -> &mut [u8] {
        assert!(self.pending.is_empty(), "a slot is used while work is under way in it");
        // SAFETY: `len` bytes are mapped at `staging` as long as the slot lives. They were written by the driver when it
        // mapped them, the device does not touch them as nothing is pending, and the borrow of the slot keeps it so.
        unsafe { slice::from_raw_parts_mut(self.staging, self.len) }
    }

    /// True if work is under way.
    pub(crate) fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Copies a range of the staging buffer to the device, runs kernels, and copies a range back. It returns at once;
    /// [`finish`](Self::finish) waits.
    pub(crate) fn start(
        &mut self,
        up: Range<usize>,
        launches: &[Launch<'_>],
        down: Range<usize>,
    ) -> Result<(), Error> {
        assert!(self.pending.is_empty(), "a slot is used while work is under way in it");
        let started = self.enqueue(up, launches, down).and_then(|()| self.queue.flush());
        started.map_err(|error| {
            // Nothing may touch the staging buffer when somebody else gets it.
            let _ = self.finish();
            Error::of_work(error)
        })
    }

    /// Has the device hang on purpose with the next command, which waits for an event that never comes.
    pub(crate) fn hang(&self, context: &Context) -> Result<(), Error> {
        let held = || -> Result<(), ClError> {
            let never = create_user_event(context.get()).map_err(ClError)?;
            // SAFETY: the event is one of this context, and is never released.
            unsafe { self.queue.enqueue_barrier_with_wait_list(&[never]) }?;
            Ok(())
        };
        held().map_err(Error::of_call)
    }

    fn enqueue(
        &mut self,
        up: Range<usize>,
        launches: &[Launch<'_>],
        down: Range<usize>,
    ) -> Result<(), ClError> {
        assert!(up.end <= self.len && down.end <= self.len, "a range ends in its slot");
        self.used = self.used.max(up.end).max(down.end);
        if !up.is_empty() {
            // SAFETY: the range is in both buffers. The memory stays, and is not touched, until the event is waited for:
            // it is among `pending`, which `staging` and `drop` look at.
            let event = unsafe {
                let bytes = slice::from_raw_parts(self.staging.add(up.start), up.len());
                self.queue.enqueue_write_buffer(&mut self.device, CL_NON_BLOCKING, up.start, bytes, &[])?
            };
            self.pending.push((Part::ToDevice, event));
        }
        for launch in launches {
            let event = self.launch(launch)?;
            self.pending.push((Part::Kernel, event));
        }
        if !down.is_empty() {
            // SAFETY: as above.
            let event = unsafe {
                let bytes = slice::from_raw_parts_mut(self.staging.add(down.start), down.len());
                self.queue.enqueue_read_buffer(&self.device, CL_NON_BLOCKING, down.start, bytes, &[])?
            };
            self.pending.push((Part::FromDevice, event));
        }
        Ok(())
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Event, ClError> {
        let Launch { kernel, keys, how, first, mask, items } = launch;
        let global = items.next_multiple_of(GROUP);
        // SAFETY: the arguments have the types that all kernels declare, and buffers outlive the work, which is waited
        // for before the slot or the borrow of the keys ends. Kernels stay within the first bytes of `data`
        // that `how` and `first` describe; those who make a launch check that these are in the slot.
        unsafe {
            kernel.set_arg(0, &self.device.get())?;
            kernel.set_arg(1, &keys.buffer.get())?;
            kernel.set_arg(2, how)?;
            kernel.set_arg(3, first)?;
            kernel.set_arg(4, mask)?;
            self.queue.enqueue_nd_range_kernel(kernel.get(), 1, null(), &global, &GROUP, &[])
        }
    }

    /// Waits for the work that is under way.
    ///
    /// # Errors
    /// The error of the work. After [`Error::TimedOut`] the slot is busy for good.
    pub(crate) fn finish(&mut self) -> Result<Times, Error> {
        let mut times = Times::default();
        let mut failed = None;
        for (part, event) in &self.pending {
            // All of them are waited for, whatever becomes of the first: see `start`.
            match self.patience.wait(event) {
                Ok(()) => {}
                Err(error @ Error::TimedOut { .. }) => return Err(error),
                Err(error) => {
                    failed.get_or_insert(error);
                    continue;
                }
            }
            let seconds = match (event.profiling_command_start(), event.profiling_command_end()) {
                (Ok(start), Ok(end)) => end.saturating_sub(start) as f64 * 1e-9,
                _ => 0.0,
            };
            match part {
                Part::ToDevice => times.to_device += seconds,
                Part::Kernel => times.kernels += seconds,
                Part::FromDevice => times.from_device += seconds,
            }
        }
        self.pending.clear();
        failed.map_or(Ok(times), Err)
    }

    /// Wipes both buffers and unmaps the one, and waits for that.
    fn wipe(&mut self) -> Result<(), Error> {
        if self.staging.is_null() {
            return Ok(());
        }
        // These stores are not left out: OpenCL gets the memory afterwards.
        let used = self.used;
        self.staging()[..used].fill(0);
        let wiped = used.next_multiple_of(16).min(self.len / 16 * 16);
        let mut enqueue = || -> Result<Event, ClError> {
            // SAFETY: the range is that of the buffer; the memory was mapped by `new` and is not used afterwards; and all is
            // waited for before the buffers are released.
            unsafe {
                if wiped > 0 {
                    // A range that cannot be wiped on a lost device cannot be read there either.
                    let _ = self.queue.enqueue_fill_buffer(&mut self.device, &[0_u8; 16], 0, wiped, &[]);
                }
                self.queue.enqueue_unmap_mem_object(self.pinned.get(), self.staging.cast(), &[])
            }
        };
        let unmapped = enqueue().map_err(Error::of_work)?;
        self.queue.flush().map_err(Error::of_work)?;
        self.patience.wait(&unmapped)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.patience.is_exhausted() {
            let _ = self.finish();
        }
        if !self.patience.is_exhausted() {
            let _ = self.wipe();
        }
        if self.patience.is_exhausted() {
            return;
        }
        // SAFETY: they are not used afterwards.
        unsafe {
            ManuallyDrop::drop(&mut self.device);
            ManuallyDrop::drop(&mut self.pinned);
            ManuallyDrop::drop(&mut self.queue);
        }
    }
}

/// Round keys on a device. They are overwritten when it is dropped.
pub(crate) struct KeyBuffer {
    buffer: ManuallyDrop<Buffer<u8>>,
    queue: ManuallyDrop<CommandQueue>,
    len: usize,
    patience: Arc<Patience>,
}

impl KeyBuffer {
    /// Uploads them.
    pub(crate) fn new(context: &Context, keys: &[u8], patience: &Arc<Patience>) -> Result<Self, Error> {
        let create = || -> Result<Self, ClError> {
            let queue = CommandQueue::create_default(context, 0)?;
            // SAFETY: the driver allocates the memory itself, as the null pointer says.
            let buffer =
                unsafe { Buffer::create(context, CL_MEM_READ_ONLY, keys.len().max(16), null_mut()) }?;
            Ok(Self {
                buffer: ManuallyDrop::new(buffer),
                queue: ManuallyDrop::new(queue),
                len: keys.len(),
                patience: patience.clone(),
            })
        };
        let mut uploaded = create().map_err(Error::of_call)?;
        uploaded.write(Zeroizing::new(keys.to_vec()))?;
        Ok(uploaded)
    }

    /// Writes as many bytes as there are to the device.
    fn write(&mut self, bytes: Zeroizing<Vec<u8>>) -> Result<(), Error> {
        assert!(bytes.len() <= self.len, "keys are as long as their buffer");
        // SAFETY: the buffer is as long as the bytes, which stay where they are until the event is waited for, or for good.
        let event =
            unsafe { self.queue.enqueue_write_buffer(&mut self.buffer, CL_NON_BLOCKING, 0, &bytes, &[]) };
        let event = event.map_err(Error::of_call)?;
        let flushed = self.queue.flush().map_err(Error::of_call);
        let written = self.patience.wait(&event);
        if self.patience.is_exhausted() {
            forget(bytes);
        }
        flushed.and(written)
    }
}

impl Drop for KeyBuffer {
    fn drop(&mut self) {
        if !self.patience.is_exhausted() {
            let _ = self.write(Zeroizing::new(vec![0; self.len]));
        }
        if self.patience.is_exhausted() {
            return;
        }
        // SAFETY: they are not used afterwards.
        unsafe {
            ManuallyDrop::drop(&mut self.buffer);
            ManuallyDrop::drop(&mut self.queue);
        }
    }
}
