"""Where compiled kernels are kept."""

import os
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from numba.core import config

from pfsm_kernels import cache
from pfsm_kernels.cache import (
    DAMAGED,
    FILLED,
    OUTDATED,
    PREFIX,
    _DataFiles,
    cache_places,
    digest,
    is_kept,
    njit,
    provide_cache,
)


def refuse(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Makes folders read-only, also for a user who may write everywhere."""
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: place not in folders and allowed(place, mode))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A package of one kernel, and a user's cache folder that is not there yet."""
    package, user = tmp_path / "package", tmp_path / "user"
    (package / "below").mkdir(parents=True)
    user.mkdir()
    (package / "kernel.py").write_text("a = 1\n")
    (package / "below" / "kernel.py").write_text("b = 1\n")
    monkeypatch.setattr(config, "CACHE_DIR", "")
    return package, user / "not" / "there"


def test_beside_the_sources_else_in_the_users_folder_else_in_one_of_its_own(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    package, user = folders
    name = f"{PREFIX}{digest(package)}"
    assert provide_cache(cache_places(package, user)) == package / "__pycache__" / name
    refuse(monkeypatch, package, package / "__pycache__")
    assert provide_cache(cache_places(package, user)) == user / name
    refuse(monkeypatch, package, package / "__pycache__", user, user.parent, user.parent.parent)
    own = provide_cache(cache_places(package, user))
    assert own.parent not in {package / "__pycache__", user}
    # Nobody else may put kernels there.
    assert own.stat().st_mode & 0o077 == 0
    own.rmdir()
    monkeypatch.setattr(cache, "PLACES", cache_places(package, user))
    for folder, kept in ((user / name, True), (own, False)):
        monkeypatch.setattr(cache, "FOLDER", folder)
        assert is_kept() == kept


def test_an_edit_of_any_source_is_another_folder(folders: tuple[Path, Path]) -> None:
    before = provide_cache(cache_places(*folders))
    assert provide_cache(cache_places(*folders)) == before
    (folders[0] / "below" / "kernel.py").write_text("a = 2\n")
    assert provide_cache(cache_places(*folders)) != before


def test_old_folders_go(folders: tuple[Path, Path]) -> None:
    now = time.time()
    ages = [0.0, OUTDATED / 2, 2 * OUTDATED]
    place = folders[0] / "__pycache__"
    for number, age in enumerate(ages):
        (place / f"{PREFIX}{number}").mkdir(parents=True)
        os.utime(place / f"{PREFIX}{number}", (now - age, now - age))
    (place / "something else").mkdir()
    own = provide_cache(cache_places(*folders))
    kept = {f"{PREFIX}{number}" for number in range(2)}
    assert {found.name for found in place.iterdir()} == {own.name, "something else", *kept}


COMPILES = pytest.mark.skipif(config.DISABLE_JIT, reason="interpreted, nothing is compiled and kept")


def compiled_kernel(source: Path, sign: str, monkeypatch: pytest.MonkeyPatch, *places: Path) -> Any:
    """A tiny kernel that has been called, of a file of a fixed stamp; its cache is in the first of some places."""
    source.write_text(f"def two(a, b):\n    return a {sign} b\n")
    os.utime(source, (1.7e9, 1.7e9))
    specification = spec_from_file_location("tiny", source)
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    monkeypatch.setattr(cache, "FOLDER", provide_cache(places or cache_places(source.parent, source.parent)))
    kernel = njit(module.two)
    assert kernel(7, 2) == {"-": 5, "+": 9}[sign]
    return kernel


@COMPILES
def test_a_folder_that_is_filled_is_used_though_it_is_read_only(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    package, user = folders
    baked, own = cache_places(package, user)
    compiled_kernel(package / "tiny.py", "+", monkeypatch, baked)
    refuse(monkeypatch, package, package / "__pycache__", baked)
    assert provide_cache([baked, own]) == own
    (baked / FILLED).touch()
    assert provide_cache([baked, own]) == baked
    # The place of the sources may be another one; the kernels are found by what they are.
    assert compiled_kernel(package / "tiny.py", "+", monkeypatch, baked).stats.cache_hits


@COMPILES
def test_kernels_of_another_version_beside_ours(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Theirs has the same name, file, stamp and types, and does something else: we neither run it nor remove it."""
    source = folders[0] / "tiny.py"
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # it, too, goes by name and stamp
    compiled_kernel(source, "-", monkeypatch)
    place = cache.FOLDER
    theirs = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    assert any(path.suffix == ".nbc" for path in theirs)
    assert not compiled_kernel(source, "+", monkeypatch).stats.cache_hits
    assert place != cache.FOLDER
    assert {path: path.read_bytes() for path in theirs} == theirs


def test_two_processes_that_save_at_once_never_swap_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have read the index before either has written it; one form is lost then, which costs time alone."""
    one, two = (_DataFiles(str(tmp_path), "kernel", "stamp") for _ in range(2))
    one.save("first", "machine code of the first")
    with monkeypatch.context() as patch:
        patch.setattr(two, "_load_index", dict)
        two.save("second", "machine code of the second")
    assert one.load("second") == "machine code of the second"
    assert one.load("first") in {None, "machine code of the first"}
    files = {path.read_bytes() for path in tmp_path.glob("*.nbc")}
    assert len(files) == 2


@COMPILES
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:30], lambda data: data[::-1]])
def test_a_damaged_file_is_compiled_anew_in_one_line(
    folders: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    damage: Callable[[bytes], bytes],
    kind: str,
) -> None:
    """Numba's own cache raises whatever pickle raises, at every call."""
    source, place = folders[0] / "tiny.py", folders[1]
    compiled_kernel(source, "+", monkeypatch, place)
    for path in place.rglob(f"*.{kind}"):
        path.write_bytes(damage(path.read_bytes()))
    monkeypatch.setattr(cache, "the_notice", cache.Notice())
    assert not compiled_kernel(source, "+", monkeypatch, place).stats.cache_hits
    assert capfd.readouterr().err == f"pfsm: {DAMAGED}\n"
    assert compiled_kernel(source, "+", monkeypatch, place).stats.cache_hits
    assert not capfd.readouterr().err
