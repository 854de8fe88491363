"""The drawing of a machine: every arc has its weight, and the trace is the best edit sequence."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pfsm.model.file import Model, Scale, save_model
from pfsm.model.settings import settings_from_dict
from tests.command_runs import Cli, Write

SVG = "{http://www.w3.org/2000/svg}"
STATES = ("Insert", "Delete", "S_word", "Jump")
WEIGHTS = {
    "Insert": -1.0, "Delete": -2.0, "S_word": 1.0, "Jump": -0.25, "S_word>S_word": 0.5, "Jump>S_word": -0.125,
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    settings = settings_from_dict({"matchers": ["word"], "max_jump": 2, "form": "absolute"}, "x")
    path = tmp_path / "m.json"
    save_model(Model("swap", settings, WEIGHTS, 0.0, Scale()), path)
    return str(path)


def groups(path: str, kind: str) -> list[ET.Element]:
    root = ET.parse(path).getroot()
    return [one for one in root.iter(f"{SVG}g") if kind in (one.get("class") or "").split()]


def words(group: ET.Element) -> list[str]:
    return [one.text or "" for one in group.iter(f"{SVG}text")]


def test_arcs_and_trace(cli: Cli, model: str) -> None:
    """A swap of two words by hand: Jump ahead, match, Jump back, match, Jump on: -.25 + .875 - .25 + .875 - .25."""
    assert cli("show", model, "--machine", "m.svg", "--pair", "blue\x01red dog", "red blue\x01dog").lines == [
        "wrote m.svg"
    ]
    assert cli("show", model, "--machine", "m.svg", "--pair", "blue red", "red blue").lines == ["wrote m.svg"]
    shown = {}
    for arc in groups("m.svg", "arc"):
        ends, weight = re.fullmatch(r"(.*): (.*)", arc[0].text or "").groups()  # type: ignore[union-attr]
        shown[ends] = float(weight)
        assert float(words(arc)[0].split()[0].replace("−", "-")) == pytest.approx(float(weight), abs=0.0051)
    assert shown == {
        f"{before} > {after}": WEIGHTS[after] + WEIGHTS.get(f"{before}>{after}", 0.0)
        for before in (*STATES, "Start")
        for after in STATES
    }
    assert [words(state)[0] for state in groups("m.svg", "state")] == [*STATES, "Start"]
    steps = [words(step) for step in groups("m.svg", "step")]
    assert [text for _, text in steps] in (
        ["jump 1", "blue", "jump 2", "red", "jump 3"],
        ["jump 1", "red", "jump 2", "blue", "jump 3"],
    )
    assert [head.split()[1:] for head, _ in steps] == [
        ["Jump", "−0.25"], ["S_word", "+0.88"], ["Jump", "−0.25"], ["S_word", "+0.88"], ["Jump", "−0.25"],
    ]  # fmt: skip
    taken = {arc[0].text.partition(":")[0] for arc in groups("m.svg", "taken")}  # type: ignore[union-attr]
    assert taken == {"Start > Jump", "Jump > S_word", "S_word > Jump"}


def test_what_is_refused(cli: Cli, model: str) -> None:
    assert (
        cli("show", model, "--pair", "a", "b").fault == "--pair is drawn into the machine; add --machine FILE"
    )


def test_a_model_without_edits(cli: Cli, write: Write) -> None:
    features = {"per": {"mean": -50.0, "sd": 25.0}, "reference_words": {"mean": 2, "sd": 1}}
    settings = settings_from_dict({"edits": False, "features": features}, "s")
    weights = {"feature:per": 1.5, "feature:reference_words": -0.5}
    save_model(Model("sum", settings, weights, 0.25, Scale(10.0, 2.0)), "s.json")
    assert cli("show", "s.json", "--machine", "m.svg").fault.startswith("model sum: it has no edits")
    shown = cli("show", "s.json").lines
    assert "edits       none: the score is a sum of weighted features" in shown
    assert not any(line.startswith(("matchers", "text")) for line in shown)
    explain = ("explain", write("r.txt", "a b c x\n"), "-i", write("h.txt", "a b c d\n"), "-m", "s.json")
    (segment,) = cli(*explain, "--format", "json").document[0]["segments"]
    assert not {"edits", "alignment", "contributions", "entropy"} & set(segment)
    assert segment["score"] == 11.5
    fault = cli(*explain, "--alignments", "a.txt").fault
    assert fault == "model sum has no edits (edits: false), so it aligns no words"
    assert not Path("m.svg").exists()
    assert not Path("a.txt").exists()
