"""`pfsm evaluate` on absolute scores: correlations against SciPy, groups, warnings about training data."""

import gzip
import shutil
from pathlib import Path

import pytest
from scipy import stats

import pfsm
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write
from tests.judgment_cases import Row, preferences, rows, tsv
from tests.model_cases import saved

ROWS = rows(30, seed=21)
STATISTICS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau}
FAST = ("--confidence-n", "50")


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def predicted(made: list[Row]) -> list[float]:
    scores = pfsm.load("hand.json").score_pairs([row[1] for row in made], [row[0] for row in made])
    return [float(score) for score in scores]


def truth(made: list[Row]) -> dict[str, float]:
    human = [float(row[2]) for row in made]
    return {name: float(function(predicted(made), human).statistic) for name, function in STATISTICS.items()}


@pytest.mark.parametrize(
    ("extra", "fault"),
    [
        (("--tau", "wmt13"), "--tau needs pairwise preferences, but "),
        (("--test", "perm-both"), "--test perm-both: give what to test against with --versus"),
        (("--statistics", "king"), "d.tsv: king needs absolute scores with the column segment_id"),
    ],
)
def test_options_for_what_is_not_there(
    cli: Cli, write: Write, model: str, extra: tuple[str, ...], fault: str
) -> None:
    write("d.tsv", tsv(ROWS))
    assert cli("evaluate", "d.tsv", "-m", model, *extra).fault.startswith(fault)


class TestCorrelation:
    def test_one_group(self, cli: Cli, write: Write, model: str) -> None:
        write("d.tsv", tsv(ROWS))
        result = cli("evaluate", "d.tsv", "-m", model, "-f", "json", *FAST).document
        assert result["name"] == "hand"
        assert result["signature"] == pfsm.load(model).get_signature(1)
        assert (result["by"], result["seed"], result["resamples"], result["warnings"]) == (
            None,
            12345,
            50,
            [],
        )
        (group,) = result["correlation"]["groups"]
        assert group["n"] == 30
        for name, value in truth(ROWS).items():
            assert group[name]["value"] == pytest.approx(value, abs=1e-10)
            low, high = group[name]["interval"]
            assert -1 <= low < value < high <= 1
            assert result["correlation"]["mean"][name]["value"] == group[name]["value"]
        assert "preference" not in result

    def test_text(self, cli: Cli, write: Write, model: str) -> None:
        write("d.tsv", tsv(ROWS))
        lines = cli("evaluate", "d.tsv", "-m", model, *FAST).lines
        assert lines[0] == pfsm.load(model).get_short_signature(1)
        (row,) = [line for line in lines if line.startswith("all")]
        assert row.split()[1] == "30"
        for value in truth(ROWS).values():
            assert f"{value:+.3f}" in row
        assert "Pearson r" in lines[2]
        assert lines[-1] == "[95% intervals: 50 bootstrap resamples, seed 12345]"

    def test_comet_csv_and_gzip(self, cli: Cli, write: Write, model: str) -> None:
        body = "".join(f'x,"{hypothesis}","{reference}",{score}\n' for reference, hypothesis, score in ROWS)
        write("d.csv.gz", gzip.compress(f"src,mt,ref,score\n{body}".encode()))
        result = cli("evaluate", "d.csv.gz", "-m", model, "-f", "json", *FAST).document
        value = result["correlation"]["groups"][0]["pearson"]["value"]
        assert value == pytest.approx(truth(ROWS)["pearson"], abs=1e-10)

    def test_the_seed_and_threads(
        self, cli: Cli, write: Write, model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write("d.tsv", tsv(ROWS))
        command = ("evaluate", "d.tsv", "-m", model, "-f", "json", *FAST)
        first = cli(*command)
        assert cli(*command, "--threads", "2").out == first.out
        monkeypatch.setenv("PFSM_SEED", "7")
        other = cli(*command).document
        assert other["seed"] == 7
        one, two = (result["correlation"]["groups"][0]["pearson"] for result in (first.document, other))
        assert one["value"] == two["value"]
        assert one["interval"] != two["interval"]


class TestGroups:
    def by_language(self, name: str, count: int, seed: int) -> tuple[str, list[Row]]:
        made = rows(count, seed)
        return tsv(made, source_lang=name), made

    def test_source_lang_is_the_default_where_every_file_has_it(
        self, cli: Cli, write: Write, model: str
    ) -> None:
        (content, de), (other, cs) = self.by_language("de", 12, 1), self.by_language("cs", 25, 2)
        write("de.tsv", content)
        write("cs.tsv", other)
        result = cli("evaluate", "de.tsv", "cs.tsv", "-m", model, "-f", "json", *FAST).document
        assert result["by"] == "source_lang"
        groups = {group["group"]: group for group in result["correlation"]["groups"]}
        assert list(groups) == ["cs", "de"]
        for name, made in (("cs", cs), ("de", de)):
            assert groups[name]["n"] == len(made)
            for statistic, value in truth(made).items():
                assert groups[name][statistic]["value"] == pytest.approx(value, abs=1e-10)
        # Unweighted: 12 judgments count as much as 25.
        mean = (truth(cs)["pearson"] + truth(de)["pearson"]) / 2
        assert result["correlation"]["mean"]["pearson"]["value"] == pytest.approx(mean, abs=1e-10)
        text_lines = cli("evaluate", "de.tsv", "cs.tsv", "-m", model, *FAST).lines
        (row,) = [line for line in text_lines if line.startswith("mean")]
        assert f"{mean:+.3f}" in row

    def test_all_together_where_a_file_has_not(self, cli: Cli, write: Write, model: str) -> None:
        content, made = self.by_language("de", 12, 1)
        write("de.tsv", content)
        write("bare.tsv", tsv(ROWS))
        result = cli("evaluate", "de.tsv", "bare.tsv", "-m", model, "-f", "json", *FAST).document
        assert result["by"] is None
        (group,) = result["correlation"]["groups"]
        assert (group["group"], group["n"]) == ("all", 42)
        assert group["pearson"]["value"] == pytest.approx(truth([*made, *ROWS])["pearson"], abs=1e-10)

    def test_comets_name_of_a_column_will_do(self, cli: Cli, write: Write, model: str) -> None:
        write(
            "d.csv",
            "src,mt,ref,score\n" + "".join(f's{n},"{h}","{r}",{s}\n' for n, (r, h, s) in enumerate(ROWS)),
        )
        for column in ("src", "source"):
            result = cli("evaluate", "d.csv", "-m", model, "-f", "json", "--by", column, *FAST).document
            assert len(result["correlation"]["groups"]) == 30


class TestWarnings:
    """A file, or references, that the model was trained on."""

    def warning(self, outcome: object) -> list[str]:
        assert hasattr(outcome, "err")
        return [line.removeprefix("pfsm: warning: ") for line in str(outcome.err).splitlines()]

    @pytest.mark.parametrize("form", ["plain", "gzip", "renamed"])
    def test_the_very_file(self, form: str, cli: Cli, write: Write, trained: Path) -> None:
        content = (trained.parent / "train.tsv").read_bytes()
        name = {"plain": "train.tsv", "gzip": "train.tsv.gz", "renamed": "other.tsv"}[form]
        write(name, gzip.compress(content) if form == "gzip" else content)
        outcome = cli("evaluate", name, "-m", str(trained), *FAST)
        assert outcome.status == 0
        expected = f"{name}: the model was trained on this very file; its agreement here says little"
        assert self.warning(outcome) == [expected]
        outcome = cli("evaluate", name, "-m", str(trained), "-f", "json", *FAST)
        assert self.warning(outcome) == [expected]
        assert '"warnings": [\n  "' + expected in outcome.out

    def test_its_references(self, cli: Cli, write: Write, trained: Path) -> None:
        seen = rows(40)[:3]
        new = [row for row in rows(80, seed=99) if row[0] not in {row[0] for row in rows(40)}][:4]
        write("some.tsv", tsv([*seen, *new, *seen]))
        outcome = cli("evaluate", "some.tsv", "-m", str(trained), *FAST)
        assert self.warning(outcome) == ["some.tsv: 3 of its 7 references are in the model's training data"]

    def test_one_line_for_each_file(self, cli: Cli, write: Write, trained: Path, tmp_path: Path) -> None:
        shutil.copy(trained.parent / "train.tsv", tmp_path / "a.tsv")
        write("b.tsv", tsv(rows(40)[:2]))
        write("c.tsv", tsv([("unseen", "x", "1")]))
        outcome = cli("evaluate", "a.tsv", "b.tsv", "c.tsv", "-m", str(trained), *FAST)
        assert [line.split(":")[0] for line in self.warning(outcome)] == ["a.tsv", "b.tsv"]


def test_mixed_files(cli: Cli, write: Write, model: str) -> None:
    write("a.tsv", tsv(ROWS))
    write("p.tsv", preferences(ROWS))
    result = cli("evaluate", "p.tsv", "a.tsv", "-m", model, "-f", "json", *FAST).document
    assert result["correlation"]["groups"][0]["n"] == 30
    assert result["preference"]["groups"][0]["n"] == 29
    body = cli("evaluate", "p.tsv", "a.tsv", "-m", model, *FAST).out
    assert "Pearson r" in body
    assert "accuracy" in body


def test_two_systems_say_that_they_say_nothing(cli: Cli, write: Write) -> None:
    made = rows(12)
    write("two.tsv", tsv(made, system=["a", "b"] * 6, segment_id=[str(k // 2) for k in range(12)]))
    write("three.tsv", tsv(made, system=["a", "b", "c"] * 4, segment_id=[str(k // 3) for k in range(12)]))
    note = "Two systems: any correlation of two is +1 or -1, which says next to nothing"
    command = ("--metric", "chrf", "--level", "system", *FAST)
    assert note in cli("evaluate", "two.tsv", *command).lines
    assert note not in cli("evaluate", "three.tsv", *command).lines
    found = cli("evaluate", "two.tsv", *command, "-f", "json").document
    assert found["correlation"]["groups"][0]["systems"] == 2


def test_metrics_are_called_as_score_calls_them(cli: Cli, write: Write) -> None:
    write("d.tsv", tsv(rows(12)))
    metric, other = get_metric("chrf"), get_metric("bleu")
    command = ("evaluate", "d.tsv", "--metric", "chrf", "--versus", "metric:bleu", *FAST)
    lines = cli(*command).lines
    assert lines[0] == metric.get_short_signature(1)
    assert f"versus {other.get_short_signature(1)}" in lines
    assert cli(*command, "--signature", "long").lines[0] == f"chrf|{metric.get_signature(1)}"
    found = cli(*command, "-f", "json").document
    assert (found["signature"], found["short_signature"]) == (metric.get_signature(1), lines[0])
    assert found["versus"]["short_signature"] == other.get_short_signature(1)


def test_a_dash_is_explained(cli: Cli, write: Write) -> None:
    write("one.tsv", tsv(rows(3), segment_id="1"))
    lines = cli("evaluate", "one.tsv", "--metric", "chrf", *FAST).lines
    assert "–: no interval, because there is too little to resample or resamples never differ" in lines
