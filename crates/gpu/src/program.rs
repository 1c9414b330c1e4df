//! The programs: sources, how they are put together, and compiled kernels that are kept.

use opencl3::context::Context;
use opencl3::program::Program as Compiled;

use crate::Error;
use crate::cache::{Cache, Name};
use crate::device::{Device, DeviceKind};

/// Work items of a work group. One size for all kernels, so that CPU devices compile each of them once; two warps of
/// NVIDIA's, one wavefront of AMD's.
pub(crate) const GROUP: usize = 64;

/// A program: the kernels of a cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Program {
    Aes,
    Rc4,
    Serpent,
    Tea,
    Xtea,
}

/// Sources that several programs have.
const COMMON: &str = include_str!("kernels/common.cl");
const TWO_WORDS: &str = include_str!("kernels/two_words.cl");
const MODES: &str = include_str!("kernels/modes.cl");

impl Program {
    /// Returns its name, in messages and of its file.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Aes => "aes",
            Self::Rc4 => "rc4",
            Self::Serpent => "serpent",
            Self::Tea => "tea",
            Self::Xtea => "xtea",
        }
    }

    /// Returns the number of blocks that a work item takes: `BLOCKS` of the sources.
    pub(crate) const fn blocks_of_an_item(self) -> usize {
        match self {
            Self::Aes => 2,
            Self::Tea | Self::Xtea => 4,
            Self::Rc4 | Self::Serpent => 1,
        }
    }

    fn source(self) -> String {
        match self {
            Self::Aes => [COMMON, include_str!("kernels/aes.cl"), MODES].concat(),
            Self::Rc4 => [COMMON, include_str!("kernels/rc4.cl")].concat(),
            Self::Serpent => {
                [COMMON, include_str!("kernels/serpent_sboxes.cl"), include_str!("kernels/serpent.cl"), MODES]
                    .concat()
            }
            Self::Tea => [COMMON, TWO_WORDS, include_str!("kernels/tea.cl"), MODES].concat(),
            Self::Xtea => {
                let many = include_str!("kernels/many_keys.cl");
                [COMMON, TWO_WORDS, include_str!("kernels/xtea.cl"), MODES, many].concat()
            }
        }
    }

    /// Returns the program compiled for a device, from the cache if it is there.
    pub(crate) fn compile(
        self,
        context: &Context,
        device: &Device,
        cache: &Cache,
        rc4_state: StatePlace,
    ) -> Result<(Compiled, Origin), Error> {
        let options = self.options(rc4_state);
        let source = self.source();
        let name = Name::of(self.name(), &[&device.fingerprint(), &options, &source]);
        if let Some(binary) = cache.get(&name) {
            // A driver refuses a binary of another version of itself: then it is made anew.
            if let Ok(program) = Compiled::create_and_build_from_binary(context, &[&binary], &options) {
                return Ok((program, Origin::Cache));
            }
        }
        let program = Compiled::create_and_build_from_source(context, &source, &options)
            .map_err(|log| Error::Build { program: self.name(), log })?;
        Ok((program, Origin::Source(name)))
    }

    fn options(self, rc4_state: StatePlace) -> String {
        let mut options = "-cl-std=CL1.2".to_owned();
        if self == Self::Rc4 {
            options.push_str(&format!(" -DLANES={GROUP}"));
            if rc4_state == StatePlace::Local {
                options.push_str(" -DSTATE_IN_LOCAL");
            }
        }
        options
    }
}

/// The origin of a compiled program: the cache, or its source, with the name to keep it under in the cache.
pub(crate) enum Origin {
    Cache,
    Source(Name),
}

/// The memory of RC4's states during the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum StatePlace {
    /// In local memory, in banks.
    Local,
    /// In the memory of each work item.
    Private,
}

impl StatePlace {
    /// Returns the place that suits a kind of device.
    pub(crate) fn of(kind: DeviceKind) -> Self {
        if kind == DeviceKind::Cpu { Self::Private } else { Self::Local }
    }
}

/// Returns the binary of a program for its one device, if it can be had.
pub(crate) fn binary(program: &Compiled) -> Option<Vec<u8>> {
    program.get_binaries().ok()?.into_iter().next().filter(|binary| !binary.is_empty())
}
