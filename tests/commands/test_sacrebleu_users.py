"""What users of sacrebleu expect: several metrics in one table, intervals, LaTeX, test sets by name, signatures."""

from pathlib import Path

import numpy as np
import pytest

import pfsm
from pfsm.evaluation import compare_systems
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCES = ["the red bird sings", "a small house .", "rain falls", "walking near the river"] * 3
ONE = ["the red bird sang", "small houses", "rain falls", "walking far"] * 3
TWO = ["a bird", "a small house .", "", "near the river"] * 3


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path) -> None:
    write("ref.txt", text(REFERENCES))
    write("one.txt", text(ONE))
    write("two.txt", text(TWO))
    saved(tmp_path)


def test_models_and_metrics_in_one_table(cli: Cli) -> None:
    command = (
        "score",
        "ref.txt",
        "-i",
        "one.txt",
        "two.txt",
        "--metric",
        "ter",
        "-m",
        "hand.json",
        "--metric",
        "bleu",
    )
    lines = cli(*command).lines
    assert lines[0].split() == ["system", "ter", "hand", "bleu"]
    expected = [
        [name, *(f"{metric.corpus_score(side, [REFERENCES]):.4f}" for metric in metrics())]
        for name, side in (("one.txt", ONE), ("two.txt", TWO))
    ]
    assert [line.split() for line in lines[1:3]] == expected
    assert [line.partition(":")[0] for line in lines[4:]] == ["ter", "hand", "bleu"]
    assert lines[4].endswith("; lower is better")
    assert cli(*command, "-b").lines == ["\t".join(row) for row in expected]
    documents = cli(*command, "-f", "json").document
    assert [(one["name"], one["system"]) for one in documents] == [
        (name, system) for name in ("ter", "hand", "bleu") for system in ("one.txt", "two.txt")
    ]
    tsv = [line.split("\t") for line in cli(*command, "-f", "tsv").lines[1:]]
    assert [(row[2], row[0], float(row[1])) for row in tsv] == [
        (one["name"], one["system"], one["score"]) for one in documents
    ]


def metrics() -> list[pfsm.Metric]:
    return [get_metric("ter"), pfsm.load("hand.json"), get_metric("bleu")]  # type: ignore[list-item]


@pytest.mark.parametrize("scorer", [("-m", "hand.json"), ("--metric", "bleu"), ("--metric", "ter")])
def test_intervals_are_those_of_compare(scorer: tuple[str, str], cli: Cli) -> None:
    options = (*scorer, "--confidence-n", "200", "-f", "json")
    compared = cli("compare", "ref.txt", "-i", "one.txt", "two.txt", *options).document["systems"]
    scored = cli("score", "ref.txt", "-i", "one.txt", "two.txt", "--confidence", *options).document
    assert [one["interval"] for one in scored] == [one["interval"] for one in compared]
    assert (scored[0]["resamples"], scored[0]["seed"]) == (200, 12345)
    lines = cli("score", "ref.txt", "-i", "one.txt", "-ci", "-w", "2", *options[:4]).lines
    low, high = scored[0]["interval"]
    assert lines[0].endswith(f" = {scored[0]['score']:.2f} [{low:.2f}, {high:.2f}]")


def test_intervals_of_a_table_and_its_systems(cli: Cli, write: Write) -> None:
    rows = [
        f"{r}\t{h}\t{s}"
        for s, side in (("A", ONE), ("B", TWO))
        for r, h in zip(REFERENCES, side, strict=True)
    ]
    write("t.tsv", text(["reference\thypothesis\tsystem", *rows]))
    scores = {"A": ONE, "B": TWO}
    metric = pfsm.load("hand.json")
    found = cli(
        "score", "--table", "t.tsv", "-m", "hand.json", "-ci", "--confidence-n", "50", "-f", "json"
    ).document
    for name, side in scores.items():
        interval = compare_systems(["x"], [metric.score_pairs(side, REFERENCES)], 50).systems[0].interval
        assert found["system_intervals"][name] == [interval.low, interval.high]
    both = metric.score_pairs([*ONE, *TWO], [*REFERENCES, *REFERENCES])
    whole = compare_systems(["x"], [both], 50).systems[0].interval
    assert found["interval"] == [whole.low, whole.high]


class TestSignatures:
    def test_short_of_a_model(self, cli: Cli) -> None:
        metric = pfsm.load("en")
        assert metric.get_short_signature(1) == f"pfsm:en:{metric.model.fingerprint}:{pfsm.__version__}"
        assert metric.get_short_signature(2) == f"pfsm:en:{metric.model.fingerprint}:refs2:{pfsm.__version__}"
        assert metric.get_short_signature("var").split(":")[3] == "refsvar"

    @pytest.mark.parametrize(
        "command",
        [
            ("score", "ref.txt", "-i", "one.txt"),
            ("compare", "ref.txt", "-i", "one.txt", "two.txt", "--confidence-n", "9"),
            ("explain", "ref.txt", "-i", "one.txt", "--segment", "2"),
        ],
    )
    def test_on_request_and_in_json(self, command: tuple[str, ...], cli: Cli) -> None:
        metric = pfsm.load("hand.json")
        short, long = metric.get_short_signature(1), f"hand|{metric.get_signature(1)}"
        assert cli(*command, "-m", "hand.json").lines[0].startswith(short)
        assert cli(*command, "-m", "hand.json", "--signature", "long").lines[0].startswith(long)
        document = cli(*command, "-m", "hand.json", "-f", "json").document
        document = document[0] if isinstance(document, list) else document
        assert (document["short_signature"], f"hand|{document['signature']}") == (short, long)
        assert document["signature"].endswith(f"|version:{pfsm.__version__}")


class TestTestSets:
    @pytest.fixture
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = tmp_path / "cache" / "wmt16"
        folder.mkdir(parents=True)
        monkeypatch.setenv("SACREBLEU", str(folder.parent))
        (folder / "wmt16.de-en.ref").write_text(text(REFERENCES), encoding="utf-8")
        return folder

    @pytest.mark.parametrize("pair", ["de-en", "german-english"])
    def test_from_the_cache(self, pair: str, cache: Path, cli: Cli) -> None:
        ours = ("-i", "one.txt", "two.txt", "-m", "hand.json", "-f", "json")
        for command in ("score", "compare", "explain"):
            named = cli(command, "-t", "wmt16", "-l", pair, *ours)
            assert named.status == 0, named.err
            assert named.document == cli(command, str(cache / "wmt16.de-en.ref"), *ours).document

    def test_nothing_is_downloaded_unasked(
        self, cache: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def download(*_: object, **__: object) -> None:
            raise AssertionError("must not be called")

        monkeypatch.setattr("sacrebleu.utils.download_file", download)
        monkeypatch.setattr("sacrebleu.dataset.base.download_file", download)
        fault = cli("score", "-t", "wmt17", "-l", "de-en", "-i", "one.txt").fault
        path = cache.parent / "wmt17" / "wmt17.de-en.ref"
        assert fault == f"{path}: not there; say --download to let sacrebleu download wmt17 into its cache"

    def test_download_on_request(self, cache: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        from sacrebleu.dataset import DATASETS

        monkeypatch.setattr(
            DATASETS["wmt17"], "get_reference_files", lambda pair: [str(cache / f"wmt16.{pair}.ref")]
        )
        options = ("-t", "wmt17", "-l", "de-en", "--download", "-i", "one.txt", "-m", "hand.json", "-b")
        assert (
            cli("score", *options).lines
            == cli("score", "ref.txt", "-i", "one.txt", "-m", "hand.json", "-b").lines
        )

        def fails(pair: str) -> list[str]:
            raise SystemExit(f"no network for {pair}")

        monkeypatch.setattr(DATASETS["wmt17"], "get_reference_files", fails)
        assert (
            cli("score", *options).fault
            == "--download: sacrebleu could not download wmt17 (no network for de-en)"
        )

    @pytest.mark.parametrize(
        ("words", "fault"),
        [
            (("-t", "wmt61", "-l", "de-en"), "--test-set 'wmt61': unknown; did you mean"),
            (("-t", "wmt16", "-l", "de-xx"), "--language-pair de-xx: wmt16 has no such pair; "),
            (("-t", "wmt16"), "--language-pair is missing: wmt16 has no such pair; "),
            (("-l", "de-en"), "--language-pair goes with --test-set NAME"),
            (
                ("ref.txt", "-t", "wmt16", "-l", "de-en"),
                "give either reference files or --test-set, not both",
            ),
        ],
    )
    def test_faults(self, words: tuple[str, ...], fault: str, cache: Path, cli: Cli) -> None:
        assert cli("score", *words, "-i", "one.txt").fault.startswith(fault)


def test_quiet(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from pfsm.errors import PfsmWarning

    def noisy(*given: object) -> np.ndarray:
        warnings.warn("look here", PfsmWarning, stacklevel=1)
        return np.ones(len(ONE))

    monkeypatch.setattr(pfsm.Metric, "score_segments", noisy)
    command = ("score", "ref.txt", "-i", "one.txt", "-m", "hand.json")
    assert cli(*command).err == "pfsm: warning: look here\n"
    assert cli(*command, "--quiet").err == ""
    assert cli("score", "nothing.txt", "-i", "one.txt", "-q").fault == "nothing.txt: no such file"


class TestExplain:
    def test_the_reference_that_counted(self, cli: Cli) -> None:
        lines = cli(
            "explain", "two.txt", "ref.txt", "-i", "one.txt", "-m", "hand.json", "--segment", "1"
        ).lines
        assert "segment 1  (reference 2 of 2, ref.txt)" in lines
        scores = cli(
            "score", "two.txt", "ref.txt", "-i", "one.txt", "-m", "hand.json", "-sl", "-f", "json"
        ).document
        (explained,) = cli(
            "explain", "two.txt", "ref.txt", "-i", "one.txt", "-m", "hand.json", "-f", "json"
        ).document
        assert [one["score"] for one in explained["segments"]] == pytest.approx(
            scores["segment_scores"], abs=1e-9
        )
        assert [one["segment"] for one in explained["segments"]] == [*range(12)]
        assert explained["segments_counted_from"] == 0
        (classic,) = cli(
            "explain", "two.txt", "ref.txt", "-i", "one.txt", "--metric", "hwcm", "-f", "json"
        ).document
        scores = cli(
            "score", "two.txt", "ref.txt", "-i", "one.txt", "--metric", "hwcm", "-sl", "-f", "json"
        ).document
        assert [one["score"] for one in classic["segments"]] == pytest.approx(
            scores["segment_scores"], abs=1e-12
        )


@pytest.mark.parametrize("option", ["--metric", "--model", "-m"])
@pytest.mark.parametrize("command", ["explain", "evaluate"])
def test_one_scorer_where_several_mean_nothing(cli: Cli, write: Write, command: str, option: str) -> None:
    write("ref.txt", "a\n")
    files = ("ref.txt",) if command == "evaluate" else ("ref.txt", "-i", "ref.txt", "ref.txt")
    done = cli(command, *files, option, "bleu", option, "ter")
    assert done.status == 2
    assert "is given twice; this command takes one" in done.err
