"""Gives a finished file its place: at once, and never in the place of another one unless that is asked for."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import warnings

_NOT_THERE = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EMLINK, errno.EXDEV}
"""Errors of a file system that lacks hard links, or renames that replace nothing."""

_AT_FDCWD, _NOREPLACE = -100, 1


def rename_new(source: str, target: str) -> None:
    """Renames a file unless the target exists, in one step. OSError with ENOSYS if the system cannot."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), target)
    if call(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), _NOREPLACE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def publish_new(source: str, target: str) -> None:
    """Moves a file to a name that does not exist, or raises FileExistsError.

    A rename that replaces nothing is one step; a hard link needs a second one. FAT and some network file systems have
    neither: there the name is reserved by an empty file, which the rename replaces.
    """
    try:
        rename_new(source, target)
        return
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            error.filename, error.filename2 = target, None
            raise
    else:
        try:
            os.unlink(source)
        except OSError:
            warnings.warn(f"{target} is complete; {source}, another name of it, could not be removed", stacklevel=2)
        return
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    reserved: os.stat_result | None = None
    try:
        reserved = os.fstat(descriptor)
        os.rename(source, target)
    except BaseException:
        _release(target, reserved)
        raise
    finally:
        os.close(descriptor)


def _release(target: str, reserved: os.stat_result | None) -> None:
    """Removes a reservation, unless another file has taken its place."""
    try:
        now = os.stat(target, follow_symlinks=False)
        if now.st_size == 0 and (reserved is None or (now.st_dev, now.st_ino) == (reserved.st_dev, reserved.st_ino)):
            os.unlink(target)
    except OSError:
        warnings.warn(f"{target} is an empty file that could not be removed", stacklevel=3)


def sync_folder(path: str) -> None:
    """Makes the names of a folder last beyond a crash, where its file system can."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def replace_file(source: str, target: str) -> None:
    """Renames a complete file to a name that may be there, unless that is a pipe or a device: these are no files to replace."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "is a pipe or a device, which cannot be replaced: name a file", target)
    os.replace(source, target)


def refuse_same(source: str, target: str) -> None:
    """Raises ValueError if two names are of one file."""
    try:
        same = os.path.samefile(source, target)
    except FileNotFoundError:
        return
    if same:
        raise ValueError("source and target are the same file")
