//! The step of the ladder of XTEA on an OpenCL device.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast_cli::opencl::{NO_GPU, open};
use abreast_gpu::{Cipher, DeviceKind, Times};
use abreast_lab::ladder::{Ladder, Step};
use abreast_lab::ladders::xtea;

/// The times of the calls of a workload's step: in all, and apart.
type Calls = Rc<RefCell<Vec<(f64, Times)>>>;

/// The last step of the ladder of XTEA: an OpenCL device, from host memory.
pub(crate) struct OpenClSteps {
    device: String,
    workloads: Vec<(&'static str, Calls)>,
}

/// The lengths for which there is the step: those of the article, and one that fills the pipeline.
const OF_ARTICLE: [&str; 3] = ["25 KB", "500 KB", "1572 KB"];

impl OpenClSteps {
    /// Adds the step, or why it is missing, to the ladder of XTEA; to others nothing. Where there is a device and time for it, it
    /// adds a long message, too.
    pub(crate) fn add_to(ladder: &mut Ladder, quick: bool) -> Self {
        let mut steps = Self { device: String::new(), workloads: Vec::new() };
        if ladder.name != "xtea" {
            return steps;
        }
        let algorithm = Algorithm::from_name("xtea").expect("XTEA is in the registry");
        let opened = open(None).ok().and_then(|gpu| Cipher::new(&gpu, algorithm, &xtea::KEY).ok());
        let Some(cipher) = opened.map(Rc::new) else {
            for workload in ladder.workloads.iter_mut().filter(|it| OF_ARTICLE.contains(&it.name)) {
                let run = Err("this machine has no OpenCL device that works");
                workload.steps.push(Step { run, ..Step::new("OpenCL", CHANGE, |_, _| {}) });
            }
            return steps;
        };
        let device = cipher.gpu().device();
        steps.device = format!("{}, {}", device.name(), device.kind());
        let name = match device.kind() {
            DeviceKind::Cpu => "OpenCL on a CPU device",
            _ => "OpenCL",
        };
        if !quick {
            ladder.workloads.push(xtea::long_message());
        }
        for workload in &mut ladder.workloads {
            if !OF_ARTICLE.contains(&workload.name) && workload.name != xtea::LONG {
                continue;
            }
            let calls = Calls::default();
            let (kept, cipher) = (calls.clone(), cipher.clone());
            workload.steps.push(Step::new(name, CHANGE, move |input, output| {
                let start = Instant::now();
                let buffers = InOutBuf::new(input, output).expect("both have the same length");
                // A device that fails leaves an output that the ladder finds out.
                if let Ok(times) = cipher.encrypt_raw_blocks(buffers) {
                    kept.borrow_mut().push((start.elapsed().as_secs_f64(), times));
                }
            }));
            steps.workloads.push((workload.name, calls));
        }
        steps
    }

    /// Reports the parts of the time of a workload's step, as medians.
    pub(crate) fn apart(&self, workload: &str) -> Option<String> {
        let (_, calls) = self.workloads.iter().find(|(name, _)| *name == workload)?;
        let calls = calls.borrow();
        let median = |part: fn(&(f64, Times)) -> f64| {
            let mut seconds: Vec<f64> = calls.iter().map(part).collect();
            seconds.sort_by(f64::total_cmp);
            seconds.get(seconds.len() / 2).map_or(0.0, |seconds| seconds * 1e6)
        };
        let all = median(|(all, _)| *all);
        let to = median(|(_, times)| times.to_device);
        let kernels = median(|(_, times)| times.kernels);
        let back = median(|(_, times)| times.from_device);
        let device = &self.device;
        let note = if device.ends_with("CPU") { format!(" ({NO_GPU})") } else { String::new() };
        Some(format!(
            "{workload} by OpenCL on {device}{note}: {all:.0} us a call, of which {to:.0} us are copies to the device, \
             {kernels:.0} us kernels and {back:.0} us copies back (medians; chunks overlap)"
        ))
    }
}

/// The description of the step: its change against the one before.
const CHANGE: &str = "Each block is a work item of a kernel. The message is copied to the device and back, and launching a \
                      kernel takes as long as many blocks: it pays for long messages, if at all.";
