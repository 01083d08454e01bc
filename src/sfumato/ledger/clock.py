"""A clock that nobody can set while a ledger is open."""

import time

_BOOT = getattr(time, "CLOCK_BOOTTIME", None)  # goes on while a machine sleeps, where the system has it


def _since_boot() -> int:
    return time.monotonic_ns() if _BOOT is None else time.clock_gettime_ns(_BOOT)


class SteadyClock:
    """The wall clock as it was at opening, carried on by the time since boot; in nanoseconds.

    Setting the machine's clock ahead would open windows early. It is looked at once, so what is set later moves nothing
    until the ledger is opened again.
    """

    def __init__(self) -> None:
        self._boot = time.time_ns() - _since_boot()

    def __call__(self) -> int:
        """Nanoseconds since 1970."""
        return self._boot + _since_boot()
