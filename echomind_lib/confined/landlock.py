"""Landlock: restricts the files, connections and processes that this process may access (Linux 5.13 and later).

A restriction applies to the process and its children, and cannot be lifted. The system calls are made here, as
the bindings on PyPI are preliminary; see https://docs.kernel.org/userspace-api/landlock.html for numbers and flags.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
"""Rights that a rule about a file, not a folder, may name."""
_RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: 1 << 13, 3: _TRUNCATE, 5: 1 << 15}
_TCP_VERSION, _SCOPE_VERSION = 4, 6
_TCP = 0b11
_SCOPES = 0b11
"""No signals to outside processes, no connections to their abstract sockets."""
_DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero")


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Returns the version of Landlock's interface, 1 or more; 0 if the kernel does not have it or it is disabled."""
    if sys.platform != "linux":
        return 0
    found = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    return max(0, int(found))


def restrict(readable: Iterable[str], writable: Iterable[str], *, network: bool) -> None:
    """Restricts this process and its future children to some files and folders.

    Call it before threads are started, as running threads are not restricted. Paths that do not exist are ignored. A
    few devices, such as `/dev/null`, are always allowed.

    Args:
        readable: Files and folders that may be read and executed, with their contents.
        writable: Files and folders that may also be changed.
        network: Whether TCP may be used; without it, Landlock version 4 or later is required.

    Raises:
        OSError: The kernel has no Landlock, or refuses the restriction.
    """
    abi = version()
    if not abi:
        raise OSError(errno.EOPNOTSUPP, "the kernel has no Landlock")
    rights = sum(bits for since, bits in _RIGHTS_BY_VERSION.items() if abi >= since)
    asked = _Ruleset(
        rights, _TCP if abi >= _TCP_VERSION and not network else 0, _SCOPES if abi >= _SCOPE_VERSION else 0
    )
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _checked(libc.syscall(_CREATE_RULESET, ctypes.byref(asked), ctypes.c_size_t(ctypes.sizeof(asked)), 0))
    try:
        for path in readable:
            _allow(libc, ruleset, path, _READ & rights)
        for path in (*writable, *_DEVICES):
            _allow(libc, ruleset, path, rights)
        _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def around(hidden: Iterable[str]) -> Iterator[str]:
    """Yields the fewest paths that cover the file system except some folders.

    Rules can only allow, and a rule for a folder includes its contents; so parents of a hidden folder are not yielded,
    and files created in them later are hidden, too. Devices are hidden.
    """
    yield from _around("/", {os.path.realpath(path) for path in (*hidden, "/dev")})


def _around(folder: str, hidden: set[str]) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # a folder that cannot be listed cannot be used either
    for entry in entries:
        if entry.path in hidden or entry.is_symlink():
            continue  # a rule for a link would apply to its target
        if any(path.startswith(f"{entry.path}/") for path in hidden):
            yield from _around(entry.path, hidden)
        else:
            yield entry.path


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, descriptor)
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(descriptor)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
