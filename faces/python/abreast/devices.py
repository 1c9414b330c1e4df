"""OpenCL devices: raw blocks, counter mode and XTS, messages with a key each, and keys tried on one message.

A device gives the same results as the classes of ``abreast``. It pays for long messages on a GPU; on a CPU device, such as
PoCL's, everything works, and the kernels of ``abreast`` are faster. The library of OpenCL is loaded by the first call:
nothing of it has to be there for anything else.

>>> import abreast
>>> from abreast.devices import Device, DeviceCipher, DeviceError, devices
>>> try:
...     device = Device()
... except DeviceError as error:
...     same = error.reason in ("no-opencl", "no-device")
... else:
...     cipher = DeviceCipher(device, "aes-128", bytes(16))
...     same = cipher.encrypt_blocks(bytes(4096)) == abreast.AES(bytes(16)).encrypt_blocks(bytes(4096))
>>> same
True

Kernels are compiled, and tested against the CPU, when the first key for them is made, in up to some seconds; ``cache`` is a
folder where they are kept. ``time_limit`` is for how many seconds each copy and each kernel of some 16 MiB is waited for,
300 unless it is given. With the kernel ``auto``, each message is done by the device or by one thread of the CPU, whichever
is expected to be faster, and by the CPU where a device fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._abreast import Device, DeviceCipher, DeviceXTS, device_rows
from ._errors import DeviceError

__all__ = ["Device", "DeviceCipher", "DeviceError", "DeviceInfo", "DeviceXTS", "devices"]


@dataclass(frozen=True)
class DeviceInfo:
    """An OpenCL device: ``unusable`` says why it cannot be used, and is None if it can."""

    name: str
    kind: str
    driver: str
    memory: int
    kernel: str
    unusable: str | None


def devices() -> list[DeviceInfo]:
    """Returns the OpenCL devices of this machine, GPUs first.

    :raises DeviceError: if there is no OpenCL library or no device.
    """
    return [DeviceInfo(**row) for row in device_rows()]
