#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cache;
mod cipher;
mod copy;
mod cost;
mod ctr;
mod device;
mod drivers;
mod error;
mod gpu;
mod layout;
mod many;
mod measure;
mod options;
mod program;
mod rc4;
mod self_test;
mod slot;
mod tested;
mod tweaks;
mod wait;
mod wanted;
mod xts;

pub use cipher::{Cipher, Stopped};
pub use cost::Costs;
pub use ctr::Ctr;
pub use device::{Device, DeviceKind, devices, find_device};
pub use drivers::find_drivers;
pub use error::Error;
pub use gpu::{CHUNKS_UNDER_WAY, Gpu};
pub use many::{KeyedMessage, LONGEST_TRIED, xtea_decrypt_many, xtea_encrypt_many, xtea_try_keys};
#[doc(hidden)]
pub use measure::{Rates, rates};
#[doc(hidden)]
pub use options::Fault;
pub use options::{CHUNK, LEAST_CHUNK, Options, TIME_LIMIT};
#[doc(hidden)]
pub use program::StatePlace;
pub use rc4::{MOST_SKIPPED, rc4_apply_keys, rc4_try_keys};
pub use slot::Times;
pub use wanted::Wanted;
pub use xts::Xts;
