"""Where results go: standard output, files, and a line of progress on a terminal.

A place that cannot be written is found before the work, where it can be; what is found behind it (a full disk, a pipe
that was closed) is said after all the rest is written and shown. Either way the exit status is 2.
"""

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dpcert.audit.budget import silent
from dpcert.audit.errors import OutputError, expected, one_line
from dpcert.audit.frozen import frozen

if sys.platform != "win32":
    import fcntl
else:
    fcntl = None

STANDARD = "-"
"""In place of a file: standard output."""


@contextlib.contextmanager
def progress_line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done, on a terminal only."""
    if quiet or not _is_terminal(sys.stderr):
        yield silent
        return
    from rich.console import Console  # here, so that what is piped need not wait for it
    from rich.markup import escape

    console = Console(stderr=True, highlight=False, emoji=False)
    if not console.is_terminal:  # the user's environment says so
        yield silent
        return
    with console.status("") as status:
        yield lambda text: status.update(escape(text))


def _is_terminal(stream: Any) -> bool:
    """Whether it is one that is open."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


class Aside(io.TextIOBase):
    """Standard output as a mechanism sees it: what is written goes to standard error, and closing it closes nothing."""

    def write(self, text: str) -> int:
        """On standard error, where there is one."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(text)
        return len(text)

    def writable(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing: it is not theirs to close."""

    @property
    def buffer(self) -> Any:
        """That of standard error."""
        return sys.stderr.buffer

    def fileno(self) -> int:
        """That of standard error."""
        return sys.stderr.fileno()


@contextlib.contextmanager
def foreign_prints_on_stderr() -> Iterator[None]:
    """Keeps what a mechanism prints out of our standard output."""
    with contextlib.redirect_stdout(Aside()):
        yield


@frozen
class Place:
    """Somewhere that a result goes, looked at before the work: `path` as it was named, `file` wherever the work leads.

    `file` is None for standard output.
    """

    path: str
    file: Path | None

    def write(self, content: str | bytes) -> None:
        """The content, whole: a file is replaced at once, or stays as it was. Raises: OutputError: it cannot be."""
        with self._refusing():
            if self.file is None:
                _print(content if isinstance(content, str) else content.decode())
                return
            whole = content.encode() if isinstance(content, str) else content
            if _is_stream(self.file):
                with self.file.open("wb") as stream:
                    stream.write(whole)
            else:
                _replace(self.file, whole)

    def add(self, text: str) -> None:
        """The text behind what is there, at once and for good. Raises: OutputError: it cannot be."""
        with self._refusing():
            if self.file is None:
                _print(text)
                return
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                if not _is_stream(self.file):
                    os.fsync(stream.fileno())

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """What goes wrong inside is one line."""
        try:
            yield
        except BrokenPipeError:
            if self.file is None:
                raise
            raise self._refused("Broken pipe") from None
        except (OSError, ValueError) as error:
            if self.file is None:
                abandon()
            raise self._refused(reason(error)) from None

    def _refused(self, why: str) -> OutputError:
        what = "Expected a standard output that can be written" if self.file is None else "Expected a writable file"
        return OutputError(f"{what} but got path={one_line(self.path)} ({why})")


def place(path: str) -> Place:
    """Where a result is to go; nothing is written, and no file is left there that was not there before.

    Raises: OutputError: it cannot be written there, as far as can be seen by now.
    """
    destination = Place(path, None if path == STANDARD else _absolute(path))
    try:
        if destination.file is None:
            _look_at_stream()
        else:
            _look(destination.file)
    except (OSError, ValueError) as error:
        raise destination._refused(reason(error)) from None
    return destination


def places(**paths: str | None) -> dict[str, Place]:
    """The places that options name, by option. Raises: ArgumentError: two are one. OutputError: as for one place."""
    named = {option: path for option, path in paths.items() if path is not None}
    destinations = {option: place(path) for option, path in named.items()}
    seen: dict[object, str] = {}
    for option, one in destinations.items():
        other = seen.setdefault(_identity(one), option)
        if other != option:
            if one.file is None:
                raise expected(f"at most one of --{other} and --{option} on standard output", **{option: one.path})
            raise expected(f"another file for --{option} than for --{other}", **{option: one.path})
    return destinations


def not_over(source: str, *to: Place) -> None:
    """Refuses an output in place of what is read. Raises: ArgumentError: it is the same file."""
    for one in to:
        if one.file is not None and _same(one.file, source):
            raise expected("another file for what is written than for what is read", path=one.path)


def _same(file: Path, source: str) -> bool:
    try:
        return file.samefile(source)
    except (OSError, ValueError):  # one of them is not there
        return False


def write_all(outputs: list[tuple[Place | None, Callable[[], str]]], show: Callable[[], None] | None = None) -> None:
    """Shows, writes what can be written, and only then says what could not. Raises: OutputError: with all of that."""
    failures = []
    if show is not None:
        try:
            shown(show)
        except OutputError as error:
            failures.append(error)
    for where, make in outputs:
        if where is not None:
            try:
                where.write(make())
            except OutputError as error:
                failures.append(error)
    if failures:
        raise OutputError("; ".join(map(str, failures)))


def shown(show: Callable[[], None]) -> None:
    """Prints by `show`, and sees that it arrives. Raises: OutputError: it does not."""
    out = Place(STANDARD, None)
    try:
        show()
        _stream().flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        abandon()
        raise out._refused(reason(error)) from None


def write(path: str, text: str) -> None:
    """The text in a file, or on standard output for `-`. Raises: OutputError: it cannot be written there."""
    place(path).write(text)


def reason(error: Exception) -> str:
    """What the system says of an error."""
    said = error.strerror if isinstance(error, OSError) else None
    return said or ("closed" if "closed file" in str(error) else type(error).__name__)


def _stream() -> Any:
    """Standard output, where there is one that is open."""
    if sys.stdout is None or sys.stdout.closed:
        raise OSError(errno.EBADF, "closed")
    return sys.stdout


def _print(text: str) -> None:
    """On standard output, in UTF-8 where its own encoding has no such characters."""
    out = _stream()
    try:
        out.write(text)
    except UnicodeEncodeError:
        out.buffer.write(text.encode("utf-8", "backslashreplace"))
    out.flush()


def _look_at_stream() -> None:
    """Raises what is wrong with standard output, as far as can be seen."""
    out = _stream()
    try:
        number = out.fileno()
    except (OSError, ValueError, AttributeError):  # something that stands in for it
        return
    if fcntl is not None and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "open for reading")


def abandon() -> None:
    """Lets go of a standard output that takes nothing, so that the end of the process does not try again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _is_stream(file: Path) -> bool:
    """Whether it is a device, a pipe, or another name of a stream that is open."""
    of_devices = file.parts[:2] in (("/", "dev"), ("/", "proc")) and file.parts[:3] != ("/", "dev", "shm")
    return of_devices or (file.exists() and not file.is_file())


def _absolute(path: str) -> Path:
    try:
        return Path(os.path.abspath(path))
    except (OSError, ValueError) as error:
        raise OutputError(f"Expected a writable file but got path={one_line(path)} ({reason(error)})") from None


def _identity(one: Place) -> object:
    """What tells places apart, however they are spelled."""
    if one.file is None:
        return STANDARD
    if one.file.exists():
        found = one.file.stat()
        return object() if stat.S_ISCHR(found.st_mode) else (found.st_dev, found.st_ino)
    return os.path.realpath(one.file)


def _look(file: Path) -> None:
    """Raises what writing there would raise, as far as that can be found without writing."""
    try:
        kind = file.stat().st_mode
    except FileNotFoundError:
        _try(file)
        return
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if stat.S_ISREG(kind):
        with file.open("ab"):  # a file system that is read-only refuses this, even the superuser
            pass


def _try(file: Path) -> None:
    """Makes a new file of that name, and takes it away."""
    target = Path(os.path.realpath(file))  # a link may lead to a file that is not there yet
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    target.unlink()


def _replace(file: Path, content: bytes) -> None:
    """Puts the bytes in the file's place at once; where no file can be made beside it, writes them as they are."""
    target = Path(os.path.realpath(file))
    try:
        from tempfile import mkstemp  # only now is a file written

        number, draft = mkstemp(prefix=".dpcert-", dir=target.parent)
    except OSError:
        with target.open("wb") as stream:
            stream.write(content)
        return
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, _mode(target))
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or of a new one."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
