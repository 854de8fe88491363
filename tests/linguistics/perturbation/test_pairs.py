"""Pairs do not depend on the order of the file, on other rows, on processes; places are those of the change."""

from pathlib import Path

import pytest

from pfsm.data.judgments import read_preferences
from pfsm.data.minimal_pairs import read_minimal_pairs
from pfsm.perturbation import pairs as pairs_module
from pfsm.perturbation.catalogue import kinds_for
from pfsm.perturbation.edits import place_of_change, with_article
from pfsm.perturbation.pairs import Translation, perturb
from pfsm.perturbation.text import Dice
from tests.command_runs import Cli, Write, text

LINES = [
    "The committee did not approve the plan for the new harbour on Monday.",
    "Two guards saw the old man in Geneva, and he gave them 1,500 dollars.",
    "Rain delayed the start of the race by an hour.",
    "She has never been to Norway, but her parents moved there last spring.",
    "The bridge is 420 metres long and was built in 1987.",
]
MANY = [
    f"{name} {verb} {count} {things} in {place} because the {who} had not come."
    for name, place, who in (("Mary", "Norway", "old men"), ("Mr Hill", "March", "two guards"))
    for verb, count in (("sold", "twenty"), ("found", "1,500"))
    for things in ("new boats", "second-hand cars")
]
# Kinds that take nothing from other texts.
ALONE = "drop-word,misspell,drop-negation,role-swap,tense,antonym,change-number,number-form,shuffle-words"


def made(lines: list[str], *names: str, seed: int = 1, **options: int) -> list[tuple[str, str, str]]:
    translations = [Translation(line, line) for line in lines]
    kinds = kinds_for("en", names)
    pairs = perturb(translations, kinds, language="en", seed=seed, cache=False, **options)  # type: ignore[arg-type]
    return [(pair.better, pair.kind, pair.worse) for pair in pairs]


def test_order_and_other_rows_make_no_difference() -> None:
    everything = made(LINES)
    assert sorted(made(LINES[::-1])) == sorted(everything)
    assert made([*LINES, LINES[0]]) == everything
    alone = ALONE.split(",")
    assert made(LINES[2:3], *alone) == [row for row in made(LINES, *alone) if row[0] == LINES[2]]
    assert [row for row in everything if row[1] in alone] == made(LINES, *alone)
    assert made(LINES, "drop-word", seed=1) != made(LINES, "drop-word", seed=2)


def test_those_of_a_number_have_the_smallest_hashes() -> None:
    """Against a choice among all pairs; a change that would not be drawn is not made."""
    everything, some = made(LINES, seed=4), made(LINES, seed=4, per_kind=2)
    expected = []
    for kind in {row[1] for row in everything}:
        of_kind = [row for row in everything if row[1] == kind]
        ranks = {row: Dice(4, kind, f"{row[0]}\0{row[0]}").rank for row in of_kind}
        expected += sorted(of_kind, key=ranks.__getitem__)[:2]
    assert some == [row for row in everything if row in expected]


def test_what_is_drawn_in_portions_is_what_is_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds that need no parse see one nevertheless, also where no kind that needs one looks at the line."""
    monkeypatch.setattr(pairs_module, "AT_ONCE", 1)
    kinds = ("role-swap", "swap-words", "add-punctuation", "add-number")
    everything = made(MANY, *kinds)
    for number in (1, 3):
        some = made(MANY[::-1], *kinds, per_kind=number)
        assert set(some) <= set(everything)
        ranks = {row: Dice(1, row[1], f"{row[0]}\0{row[0]}").rank for row in everything}
        for kind in {row[1] for row in everything}:
            of_kind = sorted((row for row in everything if row[1] == kind), key=ranks.__getitem__)
            assert sorted(row for row in some if row[1] == kind) == sorted(of_kind[:number])


def test_places_of_changes() -> None:
    for before, after, changed in (
        ("the old man left", "the old woman left", "man"),
        ("the man left", "the man man left", ""),
        ("the man left", "the left", "man "),
        ("the man left", "the man, left", "man"),
        ("the man left", "man the left", "the man"),
        ("ab", "aab", "ab"),
    ):
        start, end = place_of_change(before, after)
        assert before[start:end] == changed


def test_articles() -> None:
    words = {"an": ("apple", "hour", "umbrella"), "a": ("boat", "union", "European", "one", "user")}
    for article, several in words.items():
        old, new = ("A", "An") if article == "an" else ("An", "A")
        for word in several:
            assert with_article(f"He saw {old} {word}", 8 + len(old)) == f"He saw {new} {word}"
    assert with_article("the apple", 4) == "the apple"


HEADER = "reference\tbetter\tworse\tkind\tseverity\tplace"


def test_the_command_writes_what_the_readers_read(cli: Cli, write: Write, tmp_path: Path) -> None:
    source = write(
        "refs.tsv", text(["reference\tsource", *(f"{line}\tEine Quelle mit Wörtern" for line in LINES)])
    )
    out = str(tmp_path / "pairs.tsv")
    outcome = cli("data", "perturb", source, "-o", out, "--seed", "7", "--no-cache")
    assert (outcome.status, outcome.out) == (0, "")
    header, *rows = Path(out).read_text(encoding="utf-8").splitlines()
    assert header == HEADER
    pairs = read_minimal_pairs(out)
    assert len(pairs) == len(read_preferences(out)) == len(rows) > 150
    assert set(pairs.severities) == {"none", "minor", "major", "critical"}
    assert pairs.references == pairs.better
    assert "untranslated" in pairs.kinds
    for row in rows:
        _, better, worse, _, _, place = row.split("\t")
        start, end = map(int, place.split("-"))
        assert better != worse
        assert worse.startswith(better[:start].rstrip())
        assert worse.endswith(better[end:].lstrip())
    # Processes make no difference, nor does standard output.
    again = cli("data", "perturb", source, "--seed", "7", "--no-cache", "--processes", "2")
    assert again.out == Path(out).read_text(encoding="utf-8")
    assert again.err.startswith(f"pfsm: {len(rows)} pairs of ")
    document = cli("probe", out, "--metric", "chrf", "-f", "json", "--confidence-n", "20").document
    assert document["kinds"][-1]["n"] == sum(severity != "none" for severity in pairs.severities)


def test_hypotheses_with_top_scores(cli: Cli, write: Write) -> None:
    rows = [f"{LINES[k]}\tA translation of line {k} .\t{score}" for k, score in enumerate((1, 9, 5, 9, 2))]
    path = write("judged.tsv", text(["reference\thypothesis\tscore", *rows]))
    outcome = cli(
        "data", "perturb", path, "--of", "hypothesis", "--kinds", "empty", "--top", "0.2", "--no-cache"
    )
    # Two share the highest score.
    assert [line.split("\t")[:4] for line in outcome.out.splitlines()[1:]] == [
        [LINES[1], "A translation of line 1 .", "", "empty"],
        [LINES[3], "A translation of line 3 .", "", "empty"],
    ]


def test_plain_text_and_other_languages(cli: Cli, write: Write) -> None:
    path = write("refs.txt", text(["Das Boot sank schnell.", "Der alte Mann verkaufte sein Haus."]))
    outcome = cli("data", "perturb", path, "--lines", "--language", "German")
    kinds = {line.split("\t")[3] for line in outcome.out.splitlines()[1:]}
    assert {"drop-word", "misspell", "lower-first", "empty"} <= kinds
    assert kinds.isdisjoint({"drop-negation", "tense", "untranslated"})
    table = write("de.tsv", text(["reference\ttarget_lang", "Das Boot sank schnell.\tde"]))
    assert cli("data", "perturb", table).out == cli("data", "perturb", table, "--language", "deu").out


def test_what_is_refused(cli: Cli, write: Write) -> None:
    path = write("refs.tsv", text(["reference", *LINES]))
    german = write("two.tsv", text(["reference\ttarget_lang", "a\tde", "b\tfr"]))

    def fault(*arguments: str) -> str:
        return cli("data", "perturb", *arguments).fault

    assert fault() == "give a FILE with references, or --list"
    assert "there is no kind of change 'drop-wrd'; did you mean drop-word" in fault(
        path, "--kinds", "drop-wrd"
    )
    english_only = "kind tense is for en only, the language is 'de'"
    assert fault(path, "--kinds", "tense", "--language", "de") == english_only
    assert fault(path, "--kinds", "untranslated").startswith("kind untranslated needs source texts")
    assert fault(path, "--top", ".5") == "--top goes with --of hypothesis"
    assert "no column 'hypothesis'" in fault(path, "--of", "hypothesis")
    assert fault(german) == "two.tsv: translations into de, fr; give a file with one target language"
    assert fault(path, "-o", path).endswith("which the output would replace; give the output another name")
    assert "all texts are empty" in fault(write("empty.tsv", "reference\tx\n \t\n"))
    one = write("one.tsv", "reference\tx\nHm\t\n")
    assert "no kind applies" in fault(one, "--kinds", "role-swap", "--no-cache")
