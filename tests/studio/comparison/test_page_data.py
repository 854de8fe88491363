"""The data of a comparison's page: numbers of `pfsm compare` and `explain`, of all segments and of buckets."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pfsm
from pfsm.comparison import compare_outputs
from pfsm.lattice.names import base_state
from pfsm.metrics import get_metric
from pfsm.model.metric import Metric
from pfsm_studio.comparison.explained import edit_text
from pfsm_studio.comparison.page import JOINT, comparison_data, render_comparison, token_text
from tests.command_runs import Cli, Write, text
from tests.comparison_cases import OUTPUTS, REFERENCES, compared, data_in, facts
from tests.model_cases import model, random_weights, saved

SYSTEMS = list(OUTPUTS)


@pytest.fixture
def files(write: Write, tmp_path: Path) -> None:
    saved(tmp_path)
    write("ref.txt", text(REFERENCES))
    for name, lines in OUTPUTS.items():
        write(name, text(lines))


METRICS = ("--metric", "bleu", "--confidence-n", "50", "-f", "json")
COMMAND = ("compare", "ref.txt", "-m", "hand.json", *METRICS, "-i")


@pytest.mark.usefixtures("files")
class TestCommand:
    def test_the_numbers_are_those_of_the_command(self, cli: Cli, tmp_path: Path) -> None:
        assert cli(*COMMAND, *SYSTEMS, "--html", "page.html").err == "pfsm: the page is page.html\n"
        printed = cli(*COMMAND, *SYSTEMS, "--html", "page.html", "--quiet").document
        data = data_in(tmp_path / "page.html")
        assert data["systems"] == SYSTEMS
        assert [metric["result"] for metric in data["metrics"]] == printed
        assert [one["name"] for one in printed] == ["hand", "bleu"]
        for metric, scorer in zip(data["metrics"], (pfsm.load("hand.json"), get_metric("bleu")), strict=True):
            for scores, lines in zip(metric["scores"], OUTPUTS.values(), strict=True):
                assert scores == scorer.segment_scores(lines, [REFERENCES]).tolist()

    def test_a_bucket_is_the_comparison_of_its_segments(self, cli: Cli, write: Write, tmp_path: Path) -> None:
        """Every bucket, against the command on files with these lines alone."""
        write("facts.tsv", "document\tsource\n" + "".join(f"d{at % 3}\tx\n" for at in range(len(REFERENCES))))
        cli(*COMMAND, *SYSTEMS, "--html", "page.html", "--segments", "facts.tsv", "-q").document  # noqa: B018
        data = data_in(tmp_path / "page.html")
        titles = [kind["title"] for kind in data["buckets"]]
        assert titles == ["Length of the reference", "Document", "Numbers", "Names"]
        for number, kind in enumerate(data["buckets"]):
            assert sum(kind["sizes"]) == len(REFERENCES)
            for place in range(len(kind["labels"])):
                rows = [at for at, own in enumerate(kind["of"]) if own == place]
                assert len(rows) == kind["sizes"][place]
                for name, lines in {"ref.txt": REFERENCES, **OUTPUTS}.items():
                    write(name, text([lines[at] for at in rows]))
                for metric, alone in zip(data["metrics"], cli(*COMMAND, *SYSTEMS).document, strict=True):
                    bucket = metric["buckets"][number][place]
                    assert bucket["systems"] == [[one["score"], *one["interval"]] for one in alone["systems"]]
                    assert bucket["pairs"] == [
                        [one["difference"], *one["interval"]] for one in alone["pairs"]
                    ]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ("--segments", "facts.tsv"),
                "facts.tsv: no human scores (human:SYSTEM); the other columns are for the page of --html FILE",
            ),
            (("--html", "good.txt"), "good.txt: is an input, which the output would replace"),
            (("-m", "hand.json"), "--model hand.json: given twice"),
        ],
    )
    def test_what_does_not_go_together(
        self, cli: Cli, write: Write, arguments: tuple[str, ...], message: str
    ) -> None:
        write("facts.tsv", "source\n" + "x\n" * len(REFERENCES))
        assert cli("compare", "ref.txt", "-m", "hand.json", "-i", *SYSTEMS, *arguments).fault.startswith(
            message
        )


class TestExplained:
    def test_edits_and_posteriors_are_those_of_explanations(self) -> None:
        metric = Metric(model(), 1)
        told: Any = comparison_data(compared(metric))["explained"]
        for system, lines in enumerate(OUTPUTS.values()):
            explanations = list(metric.explanations(lines, REFERENCES))
            for at, whole in enumerate(explanations):
                edits = [(edit.state, edit.reference, edit.hypothesis) for edit in whole.edits]
                assert [edit for edit, _ in read(told, system, at)] == edits
                for (state, *sides), posterior in read(told, system, at):
                    same = [
                        part.posterior for part in whole.contributions
                        if part.state == state and all(empty(one) or one == other for one, other in
                                                       zip(sides, (part.reference, part.hypothesis), strict=True))
                    ]  # fmt: skip
                    assert posterior <= same[0] + 1e-9 <= posterior + 1 / 64 + 1e-6

    def test_untranslated_words(self) -> None:
        metric = Metric(model(), 1)
        outputs = {"a": ["the Vogel sings", "a bird"], "b": ["the bird sings", "птица bird"]}
        references = [["the bird sings", "a bird"]]
        plain: Any = comparison_data(compare_outputs(outputs, references, [metric]))["explained"]
        assert (plain["fromSource"], plain["untranslated"]) == (False, [[0, 0], [0, 1]])
        known = facts().__class__(source=["der Vogel singt", "ein Vogel"])
        told: Any = comparison_data(compare_outputs(outputs, references, [metric], facts=known))["explained"]
        assert (told["fromSource"], told["untranslated"]) == (True, [[1, 0], [0, 0]])


def empty(side: tuple[int, int]) -> bool:
    return side[0] == side[1]


def read(told: Any, system: int, at: int) -> list[tuple[tuple[str, tuple[int, int], tuple[int, int]], float]]:
    """The edits of a translation with the lower ends of their posteriors, by the rules of `explained.edit_text`."""
    found, i, j = [], 0, 0
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    posteriors = iter(told["posteriors"][system][at])
    for jump, letter, size in re.findall(r"@(\d+,\d+);|(\w)(?:\{(\d+,\d+)\})?", told["edits"][system][at]):
        if jump:
            i, j = map(int, jump.split(","))
            continue
        state = told["states"][told["letters"].index(letter)]
        usual = {"Delete": (1, 0), "Insert": (0, 1), "Jump": (0, 0)}.get(base_state(state), (1, 1))
        p, q = map(int, size.split(",")) if size else usual
        found.append(((state, (i, i + p), (j, j + q)), digits.index(next(posteriors)) / 64))
        i, j = i + p, j + q
    return found


class TestFacts:
    def test_human_scores(self) -> None:
        data: Any = comparison_data(compared(Metric(model(), 1), known=facts()))
        assert data["human"][2] is None
        assert data["human"][0][:3] == [None, 3.0, 4.0]
        one, other, together = data["metrics"][0]["agreement"]
        assert [entry["system"] for entry in (one, other, together)] == ["good.txt", "short.txt", None]
        judged = [at for at in range(len(REFERENCES)) if at % 7]
        scores, human = (np.array(data[key][1] if key == "human" else data["metrics"][0]["scores"][1], dtype=float)
                         for key in ("scores", "human"))  # fmt: skip
        assert other["n"] == len(judged)
        assert other["pearson"] == pytest.approx(np.corrcoef(scores[judged], human[judged])[0, 1], abs=1e-12)
        assert together["n"] == 2 * len(judged)
        assert (together["ordered_alike"], together["ordered"]) == (1, 1)  # people prefer good.txt, too

    def test_buckets_by_hand(self) -> None:
        kinds = {kind["title"]: kind for kind in comparison_data(compared(known=facts()))["buckets"]}  # type: ignore[attr-defined]
        assert list(kinds) == [
            *("Length of the reference", "Document", "Source language", "Numbers", "Names", "Human score")
        ]
        numbers = kinds["Numbers"]
        assert [numbers["labels"][place] for place in numbers["of"]] == [
            "a number" if "7" in line else "no number" for line in REFERENCES
        ]
        names = kinds["Names"]
        assert [names["labels"][place] for place in names["of"]] == [
            "a name" if "Oslo" in line else "no name" for line in REFERENCES
        ]
        assert kinds["Document"]["labels"] == [f"d{at}" for at in range(5)]

    def test_rare_words(self) -> None:
        outputs = {"a": ["x", "y", "z"], "b": ["x", "y", "z"]}
        references = [["one two. one", "Two three", "four five six seven"]]
        data: Any = comparison_data(compare_outputs(outputs, references, [get_metric("wer")]))
        (kind,) = [one for one in data["buckets"] if one["title"] == "Rare words"]
        assert [kind["labels"][place] for place in kind["of"]] == ["0", "1", "3 or more"]


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "Cc")), min_size=1, max_size=5)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "  "]))))
def test_lines_and_tokens_survive(parts: list[tuple[str, str]]) -> None:
    tokens = [word for word, _ in parts]
    line = "".join(word + gap for word, gap in parts)
    for given_line in (line, line.strip()):
        entry = token_text(given_line, tokens)
        if isinstance(entry, list):
            assert entry == [given_line, *tokens]
        else:
            assert isinstance(entry, str)
            assert entry.replace(JOINT, "") == given_line
            assert re.split(f"[ {JOINT}]", entry) == tokens


def test_letters_stand_as_they_are_and_markup_does_not() -> None:
    outputs = {"a": ["Дом </script> \u2028 \ud800 & \x7f", "x"], "b": ["<b>", "y"]}
    page = render_comparison(compare_outputs(outputs, [["Дом", "x"]], [get_metric("wer")]), "a<b")
    page.encode("utf-8")
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    assert "Дом" in found[1]
    assert not set(found[1]) & set("<>&\u2028\ud800\x7f")
    assert json.loads(found[1])["outputs"][0][0][0] == outputs["a"][0]
    assert "<h1>a&lt;b</h1>" in page
    named = render_comparison(compare_outputs({"a": ["x"], "<b": ["y"]}, [["x"]], [get_metric("wer")]))
    assert '<h1>a and &lt;b</h1>\n  <p class="sentence">a is best by wer, ' in named


def test_a_swap_of_two_halves_is_written_with_its_places() -> None:
    """With jumps a sequence does not run from left to right; here two words match, and two are missing and extra."""
    settings = {"language": "en", "max_block": 2, "max_jump": 3}
    weights = {**random_weights(np.random.default_rng(3)), "Jump": -0.25, "Jump>S_word": 1.5}
    metric = Metric(model(settings=settings, weights=weights), 1)
    (pair,) = metric.alignments(["c d a b"], ["a b c d"]).pairs
    written = edit_text(pair.edits, {edit.state: edit.state[0] for edit in pair.edits})
    assert written == "@0,2;JSDI@2,0;JSDI@4,4;J"
