"""What other packages offer through entry points: those of our own distribution come with pfsm, others are plug-ins."""

import re
from pathlib import Path

import pytest

from pfsm import registry
from pfsm.commands import COMMANDS, by_task
from pfsm.errors import PfsmError
from pfsm.io.pages import PAGES, page_maker
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.registry import METRICS, describe_feature, feature_names, get_metric, group_of, metric_names
from pfsm.registry import DISTRIBUTION, find_table, origin_label, own
from tests.command_runs import Cli
from tests.core.plugins.packages import SAME_LENGTH, installed

COMMAND = """
    from pfsm.commands import Command
    WINK = Command("wink at a translation", "language and machine", "toy_wink", before="warmup")
"""
WINK = """
    from pfsm.commands.options import declare

    def add_arguments(parser):
        declare(parser, "word WORD  what to wink at\\n@device")

    def run(options):
        print(f"wink {options.word} on {options.device}")
"""
GROUPS = """
    import numpy as np
    from pfsm.metrics.base import SegmentMetric
    from pfsm.metrics.metric_group import MetricGroup, without_options

    class Toy(SegmentMetric):
        name = "toy-a"

        def score_pairs(self, hypotheses, references):
            return np.array([float(one == other) for one, other in zip(hypotheses, references)])

    GROUPS = (
        MetricGroup({"toy-a": "whether they are the same"}, without_options(lambda _: Toy())),
        MetricGroup(
            parts={"toy": ("toy.words",)},
            values=lambda name, ours, theirs: {name: np.array([float(len(line.split())) for line in ours])},
            about={"toy": "of a toy"},
            label=str,
        ),
    )
"""
KIND = """
    from pfsm.registry import Table
    CONSTRAINTS = Table("constraint", {"own": 1}, lambda _, value: value)
"""
MODULES = {
    "same_length": SAME_LENGTH,
    "toy_commands": COMMAND,
    "toy_wink": WINK,
    "toy_groups": GROUPS,
    "toy_pages": "    def page(compared, title=''):\n        return f'<p>{title}</p>'\n",
    "toy_kind": KIND,
}
OFFERED = {
    "matcher": {"same-length": "same_length:SameLength", "gone": "toy_gone.matchers:GONE"},
    "command": {"wink": "toy_commands:WINK"},
    "page": {"comparison": "toy_pages:page", "training": "toy_gone:page"},
    "metric_group": {"toy": "toy_groups:GROUPS"},
    "kind": {"constraint": "toy_kind:CONSTRAINTS"},
}


@pytest.fixture
def ours(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another package of our own distribution; a further one, ``toy_gone``, is deleted."""
    monkeypatch.setattr(registry, "_tables", dict(registry._tables))
    registry._tables.pop("constraint", None)
    for table in (MATCHERS, COMMANDS, PAGES):
        monkeypatch.setattr(table, "_made", {})
    installed(site, DISTRIBUTION, OFFERED, MODULES)
    registry.reread()
    return site


def test_our_own_packages_come_with_pfsm(ours: Path) -> None:
    assert list(MATCHERS) == [*MATCHERS.built_in, "same-length"]
    assert (MATCHERS.plugin("same-length"), registry.plugins("matcher")) == (None, [])
    assert MATCHERS.is_taken("same-length")
    assert MATCHERS.label("same-length") == "same-length"
    assert origin_label("matcher", "same-length") == ""
    assert MATCHERS["same-length"].state == "S_same-length"


def test_another_package_cannot_take_their_names(ours: Path) -> None:
    installed(ours, "stranger", {"matcher": {"same-length": "strange:X"}}, {})
    registry.reread()
    assert MATCHERS["same-length"].__name__ == "SameLength"  # type: ignore[attr-defined]
    with pytest.raises(PfsmError, match="the name is one of pfsm's own"):
        MATCHERS.loaded(registry.plugins("matcher")[0])


def test_a_package_that_is_deleted_offers_nothing(ours: Path) -> None:
    assert "gone" not in MATCHERS
    with pytest.raises(PfsmError, match=re.escape(f"no matcher 'gone'; known are {', '.join(MATCHERS)}")):
        MATCHERS["gone"]


def test_the_core_reads_no_entry_points(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("reads entry points")

    monkeypatch.setattr("importlib.metadata.distribution", read)
    monkeypatch.setattr("importlib.metadata.entry_points", read)
    assert MATCHERS["word"].state == "S_word"
    assert MATCHERS.plugin("word") is None
    assert COMMANDS["score"].task.startswith("score")
    assert get_metric("chrf").name == "chrf"
    with pytest.raises(AssertionError):
        MATCHERS.get("same-length")


def test_others_are_read_only_where_a_name_is_not_ours(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> None:
        raise AssertionError("reads all entry points")

    monkeypatch.setattr("importlib.metadata.entry_points", read)
    assert "same-length" in MATCHERS
    assert COMMANDS["wink"].module == "toy_wink"


def test_a_command(ours: Path, cli: Cli) -> None:
    assert by_task()["language and machine"][-2:] == ["wink", "warmup"]
    assert cli("wink", "moon", "--device", "cpu").out == "wink moon on cpu\n"
    lines = cli("--help").lines
    place = next(row for row, line in enumerate(lines) if line.split()[:1] == ["wink"])
    assert "wink at a translation" in lines[place]
    assert lines[place + 1].split()[0] == "warmup"


def test_a_command_of_others(site: Path, cli: Cli) -> None:
    broken = {"wink": "toy_commands:WINK", "number": "toy_commands:NUMBER"}
    installed(
        site, "stranger", {"command": broken}, {**MODULES, "toy_commands": f"{COMMAND}    NUMBER = 3\n"}
    )
    registry.reread()
    assert cli("wink", "moon").out == "wink moon on None\n"
    assert not any(line.split()[:1] == ["number"] for line in cli("--help").lines)
    with pytest.raises(PfsmError, match=r"command 'number' of stranger 1.0: is not a pfsm.commands.Command"):
        COMMANDS["number"]


def test_a_page(ours: Path) -> None:
    assert page_maker("comparison", "--html")(None, "Two systems") == "<p>Two systems</p>"


def test_no_page_without_its_package(ours: Path, tmp_path: Path, cli: Cli) -> None:
    data = tmp_path / "data.tsv"
    data.write_text("reference\thypothesis\tscore\na\tb\t1\n", encoding="utf-8")
    run = cli("train", str(data), "-o", "model.json", "--report", "page.html")
    assert run.fault.startswith("--report needs the studio, which this installation lacks; ")
    (tmp_path / "text").write_text("a\n", encoding="utf-8")
    run = cli("explain", "text", "-i", "text", "--html", "page.html")
    assert run.fault.startswith("--html needs the studio, which this installation lacks; ")
    assert not (tmp_path / "page.html").exists()


def test_a_group_of_metrics(ours: Path) -> None:
    assert get_metric("toy-a").score_pairs(["a", "b"], ["a", "c"]).tolist() == [1.0, 0.0]
    assert metric_names()[-1] == "toy-a"
    assert "toy.words" in feature_names()
    assert describe_feature("toy.words") == "of a toy"
    assert "plugin" not in get_metric("toy-a").signature
    assert METRICS.plugin("toy-a") is None
    group = group_of("toy.words")
    assert group is not None
    assert group.prepare("toy.words")(["a b"], ["c"])["toy.words"].tolist() == [2.0]


def test_a_kind(ours: Path) -> None:
    installed(ours, "stranger", {"constraint": {"more": "toy_pages:page"}}, {})
    registry.reread()
    found = find_table("constraint")
    assert found is not None
    assert list(found) == ["own", "more"]
    assert callable(found["more"])


def test_a_kind_whose_package_is_deleted(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_tables", {})
    installed(site, DISTRIBUTION, {"kind": {"analyser": "toy_gone:ANALYSERS"}}, {})
    registry.reread()
    assert find_table("analyser") is None
    assert registry.plugin("analyser", "x") is None
    with pytest.raises(
        PfsmError, match="analysers need a package of pfsm-metric that this installation lacks"
    ):
        registry.table("analyser")
    assert own("analyser") == {}
