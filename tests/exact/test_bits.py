"""The bit source: its cipher, its forks, its threads, and the broken twins the same checks convict."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest

from sfumato import exact
from sfumato.exact import bits as bits_module
from sfumato.exact.bits import BitSource, SystemBits, leading, leading_one, system_bits
from sources import DRAWN, SeededBits, own_words, read_words


def children_words(bits: BitSource, children: int, generations: int = 1) -> list[list[int]]:
    """What forked children (and their children) draw from a source their parent had in use."""
    streams: list[list[int]] = []
    for _ in range(children):
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:  # pragma: no cover - measured in the parent only
            try:
                words = read_words(bits)
                below = children_words(bits, 1, generations - 1) if generations > 1 else []
                with os.fdopen(send, "wb") as pipe:
                    pickle.dump([words, *below], pipe)
            finally:
                os._exit(0)
        os.close(send)
        with os.fdopen(receive, "rb") as pipe:
            streams.extend(pickle.load(pipe))
        os.waitpid(child, 0)
    return streams


def repeats(streams: list[list[int]]) -> bool:
    """Whether any word was seen twice: 64-bit words of honest streams do not collide in this many draws."""
    words = [word for stream in streams for word in stream]
    return len(set(words)) < len(words)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forked_children_never_repeat_the_parent_or_each_other() -> None:
    bits = system_bits()
    before = read_words(bits)
    streams = [before, *children_words(bits, children=4, generations=2), read_words(bits)]
    assert len(streams) == 2 + 8
    assert not repeats(streams)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_the_fork_check_convicts_a_source_that_keeps_its_key() -> None:
    class Forgetful(SystemBits):
        """Keyed once, whatever happens."""

        def _rekey(self) -> None:
            if not hasattr(self, "_stream"):
                super()._rekey()

        def _stale(self) -> bool:
            return False

    bits = Forgetful()
    before = read_words(bits)
    assert repeats([before, *children_words(bits, children=2), read_words(bits)])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_each_fork_guard_suffices_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The epoch catches a child that got its parent's process id; the id catches a fork without the hook."""
    for broken in (
        lambda: monkeypatch.setattr(bits_module, "_forked", lambda: None),
        lambda: monkeypatch.setattr(os, "getpid", lambda: 1),
    ):
        broken()  # type: ignore[no-untyped-call]
        bits = SystemBits()
        read_words(bits)
        assert not repeats([read_words(bits), *children_words(bits, children=2), read_words(bits)])
        monkeypatch.undo()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_without_both_fork_guards_the_check_convicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits_module, "_forked", lambda: None)
    monkeypatch.setattr(os, "getpid", lambda: 1)
    bits = SystemBits()
    read_words(bits)
    assert repeats([read_words(bits), *children_words(bits, children=2), read_words(bits)])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_workers_draw_their_own_noise(method: str) -> None:
    before = read_words(system_bits())
    with multiprocessing.get_context(method).Pool(3) as pool:
        streams = pool.map(own_words, range(6), chunksize=1)
    assert not repeats([before, *streams, read_words(system_bits())])


def test_threads_never_share_a_word() -> None:
    streams: list[list[int]] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        words: list[int] = []
        for _ in range(50):
            words += read_words(system_bits())
        streams.append(words)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(streams) == 8
    assert not repeats(streams)


def test_one_source_shared_by_threads_hands_each_word_out_once() -> None:
    bits = SystemBits()
    streams: list[list[int]] = [[] for _ in range(4)]

    def work(mine: list[int]) -> None:
        for _ in range(60):
            mine.extend(read_words(bits))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not repeats(streams)


def test_a_signal_handler_that_draws_does_not_get_the_interrupted_draws_words() -> None:
    bits = system_bits()
    inside: list[int] = []
    signal.signal(signal.SIGALRM, lambda *_: inside.extend(read_words(bits)))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005)
    outside: list[int] = []
    try:
        while len(inside) < 50 * DRAWN:
            outside += read_words(bits)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert not repeats([inside, outside])


def test_the_stream_is_aes_256_in_counter_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """NIST SP 800-38A, F.5.5 CTR-AES256: its keystream is plaintext xor ciphertext."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    cipher = bytes.fromhex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")
    given = iter([key, counter])
    monkeypatch.setattr(os, "urandom", lambda n: next(given))
    stream = SystemBits().words(4).tobytes()
    assert stream == bytes(a ^ b for a, b in zip(plain, cipher, strict=True))


def test_the_key_is_renewed_after_its_share_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits_module, "_REKEY_AFTER", 1000)
    bits = SystemBits()
    first = bits._stream
    bits.words(900)
    assert bits._stream is first
    bits.words(900)
    bits.words(1)
    assert bits._stream is not first


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_source_cannot_be_copied(duplicate: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="same noise"):
        duplicate(SystemBits())


def test_a_pair_is_one_word_in_two_forms() -> None:
    bits = SystemBits()
    for _ in range(2000):
        middle, word = bits.pair()
        assert middle == word + 0.5
        assert 0 <= word < 2**64


def test_threads_have_generators_of_their_own() -> None:
    mine, others = system_bits(), []
    thread = threading.Thread(target=lambda: others.append(system_bits()))
    thread.start()
    thread.join()
    assert others[0] is not mine
    assert system_bits() is mine


def test_a_source_that_looks_empty_is_still_used() -> None:
    class Empty(SeededBits):
        def __len__(self) -> int:
            return 0

    first, second = (exact.discrete_laplace(1000, 50, bits=Empty(3)) for _ in range(2))
    assert (first == second).all()


def test_a_source_shows_nothing_of_its_state() -> None:
    assert repr(SystemBits()) == "<SystemBits: AES-256-CTR>"


def test_arrays_longer_than_a_chunk_repeat_nothing() -> None:
    words = SystemBits().words(3 * bits_module.CHUNK + 5)
    assert len(np.unique(words)) == len(words)


def test_two_calls_in_a_row_differ() -> None:
    assert (exact.discrete_laplace(1000, 1000) != exact.discrete_laplace(1000, 1000)).any()


@pytest.mark.parametrize("word_bits", [1, 3, 8, 16, 64])
@pytest.mark.parametrize("count", [0, 1, 7, 16, 33, 64])
def test_leading_bits_are_the_words_in_order(word_bits: int, count: int) -> None:
    many = leading(SeededBits(5, word_bits), count, 20)
    one = SeededBits(5, word_bits)
    assert many.tolist() == [leading_one(one, count) for _ in range(20)]
    assert all(0 <= int(value) < 2**count for value in many)
    if count >= 16:
        assert len(set(many.tolist())) > 10


def test_no_public_sampler_takes_a_seed() -> None:
    import inspect

    for name in exact.__all__:
        thing = getattr(exact, name)
        if callable(thing):
            parameters = set(inspect.signature(thing).parameters)
            assert not parameters & {"seed", "random_state", "rng", "generator"}, name
