//! New files on disk, each complete in its place or not there at all.
//!
//! Everything is done through the descriptor of the folder, so that a folder that is renamed, or exchanged for another
//! one, takes nothing with it. Of several ways to write, the best one that the file system has is taken:
//!
//! | the file system has | the file is written | and published by |
//! |---|---|---|
//! | unnamed files (ext4, XFS, Btrfs, tmpfs, overlays of these) | without a name, so that nothing is left of it whatever ends the process | a link; over another file, a link beside it and a rename |
//! | renames that replace nothing (NFS of Linux, FAT) | beside its place, as `.abreast-*.tmp` | such a rename |
//! | links | the same | a link |
//! | neither, but renames | the same, while an empty file reserves its place from the beginning | a rename over that file |
//! | no renames at all (buckets as folders) | in its place, in order | the last write |
//!
//! In the last row an incomplete file shows under the final name while the work goes on; when the work fails, it is
//! removed. Such a file system cannot replace a file in one step, and a request for that is an error before any work.
//!
//! # Checks, and when they are made
//!
//! Before a file is published, the path of its folder must still lead to the folder that was opened, and a file that has a
//! name must still be the one that was written. Afterwards both are looked at again. If the folder has gone, a new file is
//! taken back and the call fails. There remain moments between two system calls: a folder that is renamed between the last
//! look and the return of the call takes the complete file along, as it would a moment later; and where the file replaced
//! another one, the old file cannot be brought back, so that an error leaves the complete new one in the folder that was
//! moved. Somebody who can write to the folder can exchange a file that has a name between the look at it and its rename;
//! the second look sees that, and the call fails. A folder without `/proc` beside it is known by the path that was given,
//! so that a rename of the working directory of the process is not seen there.
//!
//! Other systems than Linux do all this by names, so that a folder which is renamed takes a temporary file along. Windows has links (NTFS, ReFS) or
//! renames (FAT, exFAT), and no call that puts the names in a folder on the disk. There a name that stands for a device, for a
//! stream of another file, or for a file of another name, as `NUL`, `a:b` and `a.` do, is refused by [`check_name`].

mod error;
mod names;
mod new_file;
mod place;
mod temporary;
#[cfg(test)]
mod tests;
#[cfg(any(windows, test))]
mod windows_names;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod system;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "by_name.rs"]
mod system;

pub use error::OutputError;
pub use names::Remover;
pub use new_file::{NewFile, Published};
pub use place::{Place, check_name, sync_name};
pub use system::leftovers;
pub use temporary::is_temporary_name;
