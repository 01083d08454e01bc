"""Locks on files, where the system has them; where it has none, what needs one is refused instead of done without."""

from types import ModuleType

from sfumato.errors import Unsupported


def check_locks() -> None:
    """Refuse a system without such locks, before anything is made that would need one."""
    _fcntl()


def lock(handle: int) -> None:
    """Hold a file alone until it is closed, waiting for whoever holds it now."""
    fcntl = _fcntl()
    fcntl.flock(handle, fcntl.LOCK_EX)


def try_lock(handle: int) -> bool:
    """Hold a file alone until it is closed, if nobody holds it now; False as well where it cannot be told."""
    fcntl = _fcntl()
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _fcntl() -> ModuleType:
    """The system's module, loaded late: a system without it can import everything that locks nothing."""
    try:
        import fcntl
    except ImportError:
        raise Unsupported(
            "this system has no file locks between processes (fcntl), and nothing is done without them",
            hint="use Linux, macOS or WSL; a ledger without an anchor file needs no such lock",
        ) from None
    return fcntl
