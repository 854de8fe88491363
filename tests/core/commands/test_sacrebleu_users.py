"""What users of sacrebleu expect: several metrics in one table, intervals, test sets by name."""

from pathlib import Path

import pytest

import pfsm
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


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("-m", "BLEU", "it is a metric: --metric bleu"),
        ("-m", "comet", "a model (--model en) comes nearest"),
        ("-m", "bertscore", "--metric embedding_f1 comes nearest"),
        ("-m", "my-comet.json", "shipped models: en, "),
        ("--metric", "en-fast", "it is a model: --model en-fast"),
        ("--metric", "bert-score", "--metric embedding_f1 comes nearest"),
        ("--metric", "Unbabel/wmt22-comet-da", "a model (--model en) comes nearest"),
        ("--metric", "chrF2++", "--metric chrf++ comes nearest"),
        ("--metric", "chrF3", "did you mean chrf"),
    ],
)
def test_names_of_other_tools(option: str, name: str, said: str, cli: Cli) -> None:
    assert said in cli("score", "ref.txt", "-i", "one.txt", option, name).fault


def test_models_and_metrics_in_one_table(cli: Cli) -> None:
    command = (
        "score",
        *["ref.txt", "-i", "one.txt", "two.txt", "--metric", "ter", "-m", "hand.json", "--metric", "bleu"],
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


class TestTestSets:
    @pytest.fixture
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = tmp_path / "cache" / "wmt16"
        folder.mkdir(parents=True)
        monkeypatch.setenv("SACREBLEU", str(folder.parent))
        (folder / "wmt16.de-en.ref").write_text(text(REFERENCES), encoding="utf-8")
        return folder

    def test_from_the_cache(self, cache: Path, cli: Cli) -> None:
        ours = ("-i", "one.txt", "two.txt", "-m", "hand.json", "-f", "json")
        for command, pair in (("score", "de-en"), ("compare", "german-english"), ("explain", "de-en")):
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

    def test_faults(self, cache: Path, cli: Cli) -> None:
        for words, fault in (
            (("-t", "wmt61", "-l", "de-en"), "--test-set 'wmt61': unknown; did you mean"),
            (("-t", "wmt16", "-l", "de-xx"), "--language-pair de-xx: wmt16 has no such pair; "),
            (
                ("ref.txt", "-t", "wmt16", "-l", "de-en"),
                "give either reference files or --test-set, not both",
            ),
        ):
            assert cli("score", *words, "-i", "one.txt").fault.startswith(fault)

    def test_download_on_request(self, cache: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        from sacrebleu.dataset import DATASETS

        found = [str(cache / "wmt16.de-en.ref")]
        monkeypatch.setattr(DATASETS["wmt17"], "get_reference_files", lambda pair: found)
        ours = ("-i", "one.txt", "-m", "hand.json", "-b")
        named = cli("score", "-t", "wmt17", "-l", "de-en", "--download", *ours)
        assert named.lines == cli("score", "ref.txt", *ours).lines


def test_the_reference_that_counted(cli: Cli) -> None:
    texts = ("two.txt", "ref.txt", "-i", "one.txt")
    lines = cli("explain", *texts, "-m", "hand.json", "--segment", "1").lines
    assert "segment 1  (reference 2 of 2, ref.txt)" in lines
    for scorer in (("-m", "hand.json"), ("--metric", "hwcm")):
        scores = cli("score", *texts, *scorer, "-sl", "-f", "json").document["segment_scores"]
        (explained,) = cli("explain", *texts, *scorer, "-f", "json").document
        assert [one["score"] for one in explained["segments"]] == pytest.approx(scores, abs=1e-9)
        assert [one["segment"] for one in explained["segments"]] == [*range(12)]
