"""Where compiled kernels are kept, and a word to people who wait for them.

Numba keeps a compiled kernel until its own file changes, but a kernel calls functions of other files. So all kernels
are kept in one folder named after all sources and Numba's version. It is below ``NUMBA_CACHE_DIR`` where that is set,
else beside the sources, else in the user's cache folder: the first that may be written to, or that `pfsm warmup` has
filled, as in an image. Where there is none, it is a folder of this process alone, whose name nobody can guess, because
anyone who can write to it can run code here. A kernel that cannot be saved, because the disk is full for example, is
used and forgotten.
"""

import atexit
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core import config, event
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.core.runtime.nrt import rtsys
from numba.misc.appdirs import AppDirs

NOTICE = "compiling kernels, up to 30 s, once for each command"
LOGGER = logging.getLogger("pfsm.kernels")
PREFIX = "pfsm-kernels-"
# A file that says that all kernels are there.
FILLED = "filled"
DAMAGED = "a file of compiled kernels is damaged; they are compiled anew"
# Folders of other versions that nobody has used for so many seconds go; that of this one is noted in use each day.
OUTDATED, DAY = 30 * 86_400.0, 86_400.0


def can_be_written(folder: Path) -> bool:
    """Whether a folder, or where it is not there yet the nearest one above it that is, may be written to."""
    for place in (folder, *folder.parents):
        if os.path.lexists(place):  # of a place that may not even be looked at, `Path.exists` raises an error
            return os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)  # noqa: PTH112
    return False


def digest(package: Path) -> str:
    """A name for the sources of a package: other sources, or another Numba, other name.

    Numba forgets what another version of it has saved, so two versions in one folder would compile without end.
    """
    sources = []
    for folder, below, names in os.walk(package):
        # Kernels of many versions may lie there.
        below[:] = [name for name in below if name != "__pycache__"]
        sources += [Path(folder, name) for name in names if name.endswith(".py")]
    found = hashlib.sha256(f"numba {numba.__version__}\n".encode())
    for path in sorted(sources):
        found.update(f"{path.relative_to(package)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def cache_places(package: Path, user: Path) -> list[Path]:
    """The folders for kernels that are tried, the best first, given that of the sources and the user's cache."""
    places = [Path(config.CACHE_DIR)] if config.CACHE_DIR else [package / "__pycache__", user]
    name = f"{PREFIX}{digest(package)}"
    return [place / name for place in places]


def provide_cache(places: Iterable[Path]) -> Path:
    """The first of some folders that kernels can be written to or are all there, else one of this process alone."""
    for folder in places:
        if can_be_written(folder.parent):
            tidy_up(folder)
            return folder
        if os.path.exists(folder / FILLED):  # noqa: PTH110 - of what may not even be looked at, `Path.exists` raises
            return folder
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def tidy_up(folder: Path) -> None:
    """Notes that a folder is in use, and removes those beside it that have not been for long."""
    now = time.time()
    with suppress(OSError):  # another process was faster, or may do what this one may not
        folder.mkdir(parents=True, exist_ok=True)
        if now - folder.stat().st_mtime > DAY:
            os.utime(folder)
        for place in folder.parent.glob(f"{PREFIX}*"):
            if place != folder and now - place.stat().st_mtime > OUTDATED:
                shutil.rmtree(place, ignore_errors=True)


class Notice(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says once that kernels are being compiled, which is what the first run waits for.

    To those who listen to the logger ``pfsm.kernels``, else on a terminal; not where ``PFSM_NO_NOTICE`` is set.
    """

    def __init__(self) -> None:
        self.given = bool(os.environ.get("PFSM_NO_NOTICE"))
        self.damaged = False

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - Numba's signature
        """A kernel that was in no cache is about to be compiled: says it, unless it has been said."""
        if self.given:
            return
        self.given = True
        self._say(NOTICE, sys.stderr is not None and sys.stderr.isatty())

    def on_end(self, event: event.Event) -> None:
        """Nothing is said when it is done."""

    def on_damage(self) -> None:
        """A saved kernel cannot be read: says it once, on a terminal or not."""
        if not self.damaged:
            self.damaged = True
            self._say(DAMAGED, sys.stderr is not None)

    def _say(self, text: str, plainly: bool) -> None:
        if LOGGER.isEnabledFor(logging.INFO):
            LOGGER.info(text)
        elif plainly:
            sys.stderr.write(f"pfsm: {text}\n")
            sys.stderr.flush()


PACKAGE = Path(__file__).resolve().parent
PLACES = cache_places(PACKAGE, Path(AppDirs(appname="numba", appauthor=False).user_cache_dir))
FOLDER = provide_cache(PLACES)


def is_kept() -> bool:
    """Whether kernels that are compiled now will be there for other processes."""
    return FOLDER in PLACES and can_be_written(FOLDER)


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]  # Numba has no types
    """Finds the files of a kernel below ``FOLDER``, wherever the package is installed."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(FOLDER / Path(file).resolve().parent.name)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Any:
        """Always finds a place; whether it can be written to turns out when a kernel is saved."""
        return cls(function, file)


class _Overloads(CompileResultCacheImpl):  # type: ignore[misc]  # likewise
    _locator_classes = [_Locator]  # noqa: RUF012 - Numba's own


class _DataFiles(IndexDataCacheFile):  # type: ignore[misc]  # likewise
    """Files of a kernel: no two processes ever write the same one, and one that is damaged is as good as none.

    Numba numbers the compiled forms of a kernel; two processes that compile at once would both take the first number.
    """

    def _data_name(self, number: int) -> str:  # noqa: ARG002 - Numba's signature
        return f"{Path(self._index_name).stem}.{os.urandom(6).hex()}.nbc"

    def _load_index(self) -> Any:
        return _if_whole(super()._load_index) or {}

    def _load_data(self, name: str) -> Any:
        return _if_whole(super()._load_data, name)


def _if_whole(read: Callable[..., Any], *given: Any) -> Any:
    """What is read; None where it is damaged, and numba compiles and saves anew."""
    try:
        return read(*given)
    except OSError:
        raise
    except Exception:  # pickle raises anything where it reads anything
        the_notice.on_damage()
        return None


class _Cache(FunctionCache):  # type: ignore[misc]  # likewise
    _impl_class = _Overloads

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        of = self._impl
        self._cache_file = _DataFiles(self._cache_path, of.filename_base, of.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A compiled form, None if there is none.

        Numba first imports everything that compiling could need; compiled code needs its counting of references alone.
        """
        rtsys.initialize(target_context)
        with suppress(OSError):
            return self._load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Saves a kernel if that is possible."""
        with suppress(OSError):
            super().save_overload(sig, data)


class KernelCache:
    """The saved forms of one kernel, as Numba's dispatcher uses it.

    Numba's own cache is made when it is asked for: most kernels are never called in a process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    @cached_property
    def _files(self) -> _Cache:
        return _Cache(self._function)


the_notice = Notice()
event.register("numba:compile", the_notice)


def _refuse(*_: Any, **__: Any) -> Any:
    raise TypeError("only kernels call this kernel")


def njit(
    function: Callable[..., Any] | None = None, borrows: bool = False, inner: bool = False, **options: Any
) -> Any:
    """``numba.njit`` with a cache in ``FOLDER``; used as a decorator, with or without options.

    ``borrows`` is for functions that allocate nothing. Numba then counts no references to the arrays that they are
    given, which in small functions of many arrays takes as long as the work. ``inner`` is for functions that only
    kernels call: the entry from Python, an eighth of the time that compiling takes, is left out.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        # Nobody calls kernels from C, for which Numba would compile another entry.
        kernel = numba.njit(_nrt=not borrows, no_cfunc_wrapper=True, no_cpython_wrapper=inner, **options)(
            function
        )
        if hasattr(kernel, "enable_caching"):  # not where Numba is switched off
            kernel._cache = KernelCache(function)  # noqa: SLF001 - Numba's own `enable_caching` does no more
            if inner:  # else Python would jump to an entry that is not there
                kernel._insert, kernel._compile_for_args = lambda *_, **__: None, _refuse  # noqa: SLF001
        return kernel

    return decorate if function is None else decorate(function)


@njit(inner=True)
def copy(source, target):
    """Entry by entry: of an assignment, Numba compiles the words of its error message too, for two seconds."""
    for at in range(source.size):
        target[at] = source[at]
