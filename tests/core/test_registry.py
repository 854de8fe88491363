"""The registry of plug-ins, with made-up packages, scripts and tables."""

import importlib
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pfsm
from pfsm import registering, registry
from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.registry import Table
from tests.core.plugins.packages import SAME_LENGTH, installed

MATCHER = {"matcher": {"same-length": "same_length:SameLength"}}


def checked(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise PfsmError("is not text")
    return f"{name}={value}"


def test_what_comes_with_pfsm_is_imported_when_it_is_asked_for() -> None:
    table = Table[Any]("thing", {"here": 1, "there": "string:digits", "nowhere": "no_such_module:X"}, checked)
    assert list(table) == ["here", "there", "nowhere"]
    assert table["here"] == 1
    assert table["there"] == "0123456789"
    with pytest.raises(ModuleNotFoundError):
        table["nowhere"]


def test_an_entry_point_is_found_by_its_name(site: Path) -> None:
    assert "same-length" not in MATCHERS
    installed(site, "pfsm-lengths", MATCHER, {"same_length": SAME_LENGTH}, "0.3")
    assert "same-length" not in MATCHERS  # read once
    registry.reread()
    assert "same-length" in MATCHERS
    assert list(MATCHERS)[-1] == "same-length"
    assert "same_length" not in sys.modules
    entry = MATCHERS.plugin("same-length")
    assert entry is not None
    assert entry.origin == "pfsm-lengths 0.3"
    assert str(entry) == "matcher 'same-length' of pfsm-lengths 0.3"
    assert MATCHERS["same-length"].state == "S_same-length"
    assert MATCHERS["same-length"] is MATCHERS["same-length"]
    assert MATCHERS.label("same-length") == "same-length(pfsm-lengths@0.3)"
    assert MATCHERS.label("word") == "word"


def test_names_of_pfsm_stay_its_own(site: Path) -> None:
    before, names = MATCHERS["word"], list(MATCHERS)
    points = {"word": "same_length:SameLength", "link": "same_length:SameLength"}
    installed(site, "pfsm-lengths", {"matcher": points}, {"same_length": SAME_LENGTH})
    assert MATCHERS["word"] is before
    assert list(MATCHERS) == names
    assert "link" not in MATCHERS
    for entry in registry.plugins("matcher"):
        with pytest.raises(
            PfsmError, match=rf"matcher '{entry.name}' of pfsm-lengths 1.0: the name is one of pfsm's own"
        ):
            MATCHERS.loaded(entry)


BROKEN = {
    "no-module": (
        "no_such_module:X",
        r"cannot be imported \(ModuleNotFoundError: No module named 'no_such_module'\)",
    ),
    "exits": ("exiting:X", r"cannot be imported \(SystemExit: 3\)"),
    "number": ("bad:NUMBER", r"must be a class derived from .*MatcherPlugin; see `docs/extending.md`"),
    "abstract": ("bad:Abstract", r"does not define offers\(\); see `docs/extending.md`"),
    "with space": ("bad:NUMBER", r"a name is made of letters, digits, - and _, and begins with a letter"),
}
BAD = """
    from pfsm.matchers.plugin import MatcherPlugin
    NUMBER = 3
    class Abstract(MatcherPlugin):
        name = "abstract"
"""


def test_a_broken_plugin_is_one_line_and_only_where_it_is_asked_for(site: Path) -> None:
    modules = {"bad": BAD, "exiting": "raise SystemExit(3)"}
    installed(site, "pfsm-bad", {"matcher": {one: target for one, (target, _) in BROKEN.items()}}, modules)
    assert MATCHERS["word"].state == "S_word"
    for name, (_, fault) in BROKEN.items():
        assert name in MATCHERS
        with pytest.raises(PfsmError, match=rf"^matcher '{name}' of pfsm-bad 1.0: {fault}$"):
            MATCHERS[name]


def test_two_packages_with_one_name(site: Path) -> None:
    installed(site, "pfsm-lengths", MATCHER, {"same_length": SAME_LENGTH})
    installed(site, "other", MATCHER, {}, "2")
    with pytest.raises(PfsmError, match=r"have one each; uninstall all but one$"):
        MATCHERS["same-length"]


def script(site: Path, name: str, source: str = SAME_LENGTH, decorator: str = "same-length") -> None:
    """A module that registers the matcher."""
    marked = source.replace(
        "    class SameLength", f'    @pfsm.register.matcher("{decorator}")\n    class SameLength'
    )
    installed(site, f"no-{name}", {}, {name: f"    import pfsm\n{marked}"})


def test_a_script_registers(site: Path) -> None:
    script(site, "my_matchers")
    import my_matchers  # type: ignore[import-not-found]

    entry = MATCHERS.plugin("same-length")
    assert entry is not None
    assert entry.load() is my_matchers.SameLength
    assert entry.package == "module my_matchers"
    checksum = entry.version
    assert str(entry) == f"matcher 'same-length' of module my_matchers {checksum}"
    assert MATCHERS.label("same-length") == f"same-length(my_matchers@{checksum})"
    assert len(checksum) == 8
    # As when a cell of a notebook is run again.
    my_matchers.__loader__.exec_module(my_matchers)
    again = MATCHERS.plugin("same-length")
    assert again is not None
    assert again is not entry
    assert again.load() is my_matchers.SameLength


def test_a_script_cannot_take_a_name(site: Path) -> None:
    installed(site, "pfsm-lengths", MATCHER, {"same_length": SAME_LENGTH})
    script(site, "mine")
    with pytest.raises(PfsmError, match=r"of module mine \w+: pfsm-lengths 1.0 has one of this name already"):
        import mine  # type: ignore[import-not-found] # noqa: F401
    with pytest.raises(PfsmError, match="the name is one of pfsm's own"):
        pfsm.register.matcher("word")(object)
    assert "mine" not in MATCHERS


def test_other_processes_import_the_module(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(site, "my_matchers")
    import my_matchers

    sent, expected = registering.registered(), MATCHERS.label("same-length")
    assert my_matchers.SameLength.state == "S_same-length"

    def in_a_worker(sent: registering.Registered, *path: Path) -> str:
        """What another process that knows these folders makes of what is sent."""
        with monkeypatch.context() as patch:
            patch.setattr(registry, "scripts", {})
            patch.delitem(sys.modules, "my_matchers", raising=False)
            patch.setattr(sys, "path", [*map(str, path), *(one for one in sys.path if one != str(site))])
            importlib.invalidate_caches()
            registering.restore(pickle.loads(pickle.dumps(sent)))
            assert "same-length" in MATCHERS
            assert "my_matchers" not in sys.modules
            try:
                return f"{MATCHERS['same-length'].state} {MATCHERS.label('same-length')}"
            except PfsmError as error:
                return str(error)
            finally:
                sys.modules.pop("my_matchers", None)

    assert in_a_worker(sent, site) == f"S_same-length {expected}"
    assert "a worker process cannot repeat the registration (No module named" in in_a_worker(sent)
    other = tmp_path / "other"
    other.mkdir()
    (other / "my_matchers.py").write_text("", encoding="utf-8")
    assert "(my_matchers does not register it at its top level)" in in_a_worker(sent, other)
    (other / "my_matchers.py").write_text(f"{(site / 'my_matchers.py').read_text()}\n# new", encoding="utf-8")
    assert "a worker process has that of module my_matchers" in in_a_worker(sent, other)
    alone = registering.Registered((replace(sent.entries[0], module="__main__"),))
    assert "(it is the script or notebook itself); register it in a module of its own" in in_a_worker(alone)
