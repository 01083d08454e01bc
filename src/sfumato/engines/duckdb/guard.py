"""One guard around other libraries: whatever they raise becomes an error of ours, as their text may hold a cell."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from sfumato.errors import SfumatoError

_INTERRUPTED, _PANIC = "InterruptException", "PanicException"


@contextmanager
def guarded(refusal: Callable[[], SfumatoError]) -> Generator[None]:
    """What happens inside, or the refusal; errors of ours and whoever ends the process pass as they are."""
    try:
        yield
    except SfumatoError:
        raise
    except Exception as error:
        if type(error).__name__ == _INTERRUPTED:  # the engine catches Ctrl-C while it computes
            raise KeyboardInterrupt from None
        raise refusal() from None
    except BaseException as error:
        if type(error).__name__ == _PANIC:  # a library in Rust that gave up
            raise refusal() from None
        raise
