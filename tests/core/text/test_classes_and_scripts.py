"""Word classes against a twin, lines without white space, and outputs that do not fit their references."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.text.classes import CLASSES, LISTED, SHIPPED, shipped_lists, word_classes
from pfsm.text.mismatch import mismatches
from pfsm.text.scripts import spaceless, spaceless_sizes
from tests.command_runs import Cli, Write, text
from tests.oracles import classes as oracle

LINES = ["", " ", "a b", " a  b ", "x", "夜 は", "y"]


@pytest.mark.parametrize("more", [[], ["a\tb"], ["a\u00a0b \u3000", "\u200b c"], ["\0 d", "\n"]])
def test_white_space_is_left_out(more: list[str]) -> None:
    lines = [*LINES, *more]
    text, sizes = spaceless(lines)
    assert spaceless_sizes(lines) == sizes
    without = ["".join(line.split()) for line in lines]
    assert (text, sizes) == ("".join(without), [len(line) for line in without])


ENGLISH = word_classes("en")

BY_HAND = {
    "punctuation": ". , -- ... ' `` % $ ¿ 。 €",
    "number": "7 1,000.5 G8 1990s Three TWENTY-FIVE one‑third hundredth ½ Ⅷ ٣ 10-year",
    "negation": "not No NOT n't don't Don’t without Hardly cannot",
    "function": "the The a A I to Between 's ’s 've I'm it’s however May",
    "name": "Helsinki McAllister iPad d'Artagnan US IT WHO U.S. VIII Überlingen Cardiologists Ǆ ǅ Dog-Cat",
    "content": "dog well-known Yesterday Tourists one-sided vital-ten ₤x café собака 一 犬 ª",
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    tokens = BY_HAND[name].split()
    assert {token: CLASSES[ENGLISH.of(token)] for token in tokens} == dict.fromkeys(tokens, name)


LISTS = {
    "number": ["seven", "no"],
    "negation": ["no", "it"],
    "function": ["it", "open"],
    "content": ["open", "well"],
}
PIECES = [
    "seven", "no", "it", "open", "well", "dog", "Dog", "No", "IT",
    "Open", "WELL", "7", "-", "'", "’", ".", "É", "é",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join) | st.text(min_size=1, max_size=6)
)
def test_the_first_class_that_claims_a_token_has_it(token: str) -> None:
    assert CLASSES[word_classes(LISTS).of(token)] == oracle.word_class(token, LISTS)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_lists_are_words_in_lower_case_each_in_one_list(name: str) -> None:
    lists = shipped_lists(name)
    assert tuple(lists) == LISTED
    words = [word for words in lists.values() for word in words]
    assert len(words) == len(set(words))
    assert all(word == word.lower() and any(map(str.isalpha, word)) for word in words)
    assert all(len(lists[key]) > 30 for key in LISTED)


def test_checksums_tell_lists_apart_whatever_their_order() -> None:
    one = word_classes({"negation": ["no", "not"]}).checksum
    assert re.fullmatch("[0-9a-f]{8}", one)
    assert word_classes({"function": [], "negation": ["not", "no"]}).checksum == one
    others = [{"negation": ["no"]}, {"function": ["no", "not"]}, {}, {"negation": ["no", "not", "nor"]}]
    assert len({one, *(word_classes(other).checksum for other in others)}) == 5


NOUNS = (
    *("baker", "river", "letter", "garden", "window", "market", "doctor"),
    *("winter", "bridge", "kitchen", "teacher", "village", "painter", "harbour"),
)
REFERENCES = [
    f"The {noun} was near the {NOUNS[(at * 5 + 3) % 14]} when we came from the {NOUNS[(at * 3 + 1) % 14]} on day {at} ."
    for at, noun in enumerate(NOUNS * 3)
]
GOOD = [line.replace(" was near", " stood by") for line in REFERENCES]
GERMAN = [f"Der alte Mann ging am Tag {at} mit seinem Hund zum großen Fluss ." for at in range(42)]
DAMAGED = {
    "another language": ([*GERMAN], REFERENCES),
    "empty": ([line if at % 10 else "" for at, line in enumerate(GOOD)], REFERENCES),
    "fit the references of the line after": ([*GOOD[1:], GOOD[0]], REFERENCES),
    "lines 21 to ": ([*GOOD[:20], *GOOD[21:], "It is over ."], REFERENCES),
    "equal to the reference": (REFERENCES, REFERENCES),
    "the same for different references": (
        [line if at % 5 else GOOD[0] for at, line in enumerate(GOOD)],
        REFERENCES,
    ),
    "decoded twice": ([line.replace("e ", "é ").encode().decode("latin-1") for line in GOOD], REFERENCES),
    "swapped": (GOOD, [line.replace("the ", "the the ").removesuffix(" .") for line in REFERENCES]),
    "or script": (["我们昨天在河边看到了一位老面包师傅"] * 42, REFERENCES),
}


def test_good_outputs_are_not_doubted() -> None:
    assert mismatches({"a": GOOD}, [REFERENCES], GERMAN) == []
    assert mismatches({"a": GOOD[:1]}, [REFERENCES[:1]]) == []


@pytest.mark.parametrize("said", DAMAGED)
def test_damage_is_found_with_its_lines(said: str) -> None:
    lines, references = DAMAGED[said]
    assert said in " ".join(mismatches({"a": lines}, [references]))


def test_an_empty_line_is_always_named() -> None:
    """One of 700 may decide a gate: of references, of outputs, and of both; not where another reference is there."""
    lines = [f"line {at}" for at in range(700)]
    blank = [*lines[:6], " ", *lines[7:]]
    said = "1 of 700 lines (line 7) empty"
    assert mismatches({"a": lines}, [blank]) == mismatches({"a": blank}, [blank]) == [f"references: {said}"]
    assert mismatches({"a": lines, "b": blank}, [lines]) == [f"b: {said}"]
    assert mismatches({"a": lines}, [lines, [*lines[:6], None, *lines[7:]]]) == []


def test_source() -> None:
    copied = [*GERMAN[:8], *GOOD[8:]]
    assert "a: 8 of 42 lines (line 1, 2, 3, 4, 5, …) equal to the source" in mismatches(
        {"a": copied}, [REFERENCES], GERMAN
    )


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_warn_or_refuse(cli: Cli, write: Write, command: str) -> None:
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("german", GERMAN)):
        write(name, text(lines))
    asked = command, "ref", "-i", "good", "german", "--metric", "chrf"
    warned = cli(*asked)
    assert warned.status == 0
    assert "pfsm: warning: german: 42 of 42 lines (line 1, 2" in warned.err
    assert "good:" not in warned.err
    refused = cli(*asked, "--strict")
    assert (refused.status, refused.out) == (2, "")
    assert cli(*asked, "--quiet").err == ""
