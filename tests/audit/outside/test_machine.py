"""What two processes are told apart by: flags, what is an error, how floats are rounded, who is at work."""

import signal
import sys
import threading
import warnings

import numpy as np
import pytest

from dpcert.audit.outside.machine import machine_words, settings_words, somebody_else_is_at_work


def test_words_are_the_same_when_they_are_asked_for_again() -> None:
    assert settings_words() == settings_words()
    assert machine_words() == machine_words()


def test_what_is_set_shows() -> None:
    before = settings_words()
    with np.errstate(divide="raise"):
        assert settings_words() != before
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(5_000)
    assert settings_words() != before
    sys.set_int_max_str_digits(digits)
    size = np.setbufsize(16_384)
    assert settings_words() != before
    np.setbufsize(size)
    assert settings_words() == before


def test_where_a_warning_is_an_error_all_that_is_said_of_warnings_shows() -> None:
    with warnings.catch_warnings():
        warnings.resetwarnings()
        none = settings_words()
        warnings.simplefilter("ignore", ImportWarning)
        assert settings_words() == none
        warnings.filterwarnings("error", category=ImportWarning)
        some = settings_words()
        assert some != none
        warnings.simplefilter("ignore", RuntimeWarning)
        assert settings_words() != some


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the system has no such signals")
def test_threads_and_handlers_are_somebody_at_work() -> None:
    if threading.active_count() > 1:
        pytest.skip("the tests have threads of their own here")
    assert not somebody_else_is_at_work()
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    assert somebody_else_is_at_work()
    signal.signal(signal.SIGUSR1, before)
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert somebody_else_is_at_work()
    over.set()
    thread.join()
