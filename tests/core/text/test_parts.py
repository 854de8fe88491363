"""Ends of sentences, and parts of long pairs against the best of all alignments and real translations."""

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.text.parts import Part, is_long, parts
from pfsm.text.sentences import split
from pfsm_kernels.strings.sentences import ALONE, BLOCKS, JOINED, LENGTH, aligned_sentences

WEIGHTS = (1.0, 0.5, 2.0, 1.25, 0.75)
Sentences = list[frozenset[int]]
SENTENCES = st.lists(st.frozensets(st.integers(0, 4), min_size=1), min_size=1, max_size=5)


def weight(types: frozenset[int]) -> float:
    return sum(WEIGHTS[one] for one in types)


def gain(ours: Sentences, theirs: Sentences) -> float:
    sides = [list(map(weight, side)) for side in (ours, theirs)]
    if not ours or not theirs:
        return -ALONE * sum(map(sum, sides))
    shared = weight(frozenset().union(*ours) & frozenset().union(*theirs))
    joined = sum(sum(side) - max(side) for side in sides)
    return shared - LENGTH * abs(sum(sides[0]) - sum(sides[1])) - JOINED * joined


def best_gain(ours: Sentences, theirs: Sentences) -> float:
    """Of all sequences of blocks."""

    @cache
    def best(i: int, j: int) -> float:
        if (i, j) == (len(ours), len(theirs)):
            return 0.0
        return max(
            gain(ours[i : i + a], theirs[j : j + b]) + best(i + a, j + b)
            for a, b in BLOCKS.tolist()
            if i + a <= len(ours) and j + b <= len(theirs)
        )

    return best(0, 0)


def rows(side: Sentences) -> tuple[np.ndarray, np.ndarray]:
    groups = [
        sorted(frozenset().union(*side[at : at + size])) if at + size <= len(side) else []
        for size in (1, 2, 3)
        for at in range(len(side))
    ]
    offsets = np.cumsum([0, *map(len, groups)])
    return np.array([one for group in groups for one in group], np.int32), offsets.astype(np.int64)


@settings(max_examples=100, deadline=None)
@given(SENTENCES, SENTENCES)
def test_the_alignment_is_the_best_of_all(ours: Sentences, theirs: Sentences) -> None:
    blocks = aligned_sentences(*rows(ours), *rows(theirs), np.array(WEIGHTS), 3)
    total, i, j = 0.0, 0, 0
    for a, b in blocks.tolist():
        total += gain(ours[i : i + a], theirs[j : j + b])
        i, j = i + a, j + b
    assert (i, j) == (len(ours), len(theirs))
    assert total == pytest.approx(best_gain(ours, theirs), abs=1e-9)


def texts(found: Sequence[Part], reference: str, hypothesis: str) -> list[tuple[str, str]]:
    return [(reference[first:stop], hypothesis[begin:end]) for first, stop, begin, end in found]


def covered(reference: str, hypothesis: str, language: str = "en") -> list[tuple[str, str]]:
    pairs = texts(parts(reference, hypothesis, language), reference, hypothesis)
    assert "".join(one for one, _ in pairs) == reference
    assert "".join(other for _, other in pairs) == hypothesis
    assert all(map(any, pairs)) or not (reference or hypothesis)
    return pairs


ONE = "The committee approved the annual budget on Monday evening after a long debate. "
TWO = "Nobody expected that the second vote would be as close as it was in the end. "
THREE = "Prices of bread and milk went up by a tenth within the last two years. "
FOUR = "In the north it rained for nine days, and rivers burst their banks near the coast. "


def test_missing_and_added_sentences_are_parts_of_their_own() -> None:
    whole = (ONE + TWO + THREE + FOUR).strip()
    assert covered(whole, (ONE + THREE + FOUR).strip())[1] == (TWO, "")
    assert covered((ONE + TWO + FOUR).strip(), whole)[2] == ("", THREE)
    assert covered(whole, whole) == [(one, one) for one in (ONE, TWO, THREE, FOUR.strip())]
    joined = TWO.strip()[:-1] + ", and prices" + THREE[6:]
    assert (TWO + THREE, joined) in covered(whole, (ONE + joined + FOUR).strip())


def test_which_pairs_are_long() -> None:
    word = "word " * 41
    assert not is_long("word " * 60, "", "en")
    assert is_long("word " * 61, "", "en")
    assert is_long("", "word " * 61, "en")
    assert not is_long(word, word, "en")
    assert is_long(word, "Many words. " + word, "en")
    assert is_long("你好。" * 30, "你好", "zh")
    assert covered("A b. C d.", "A b.") == [("A b. C d.", "A b.")]
    assert covered("", "") == [("", "")]
    assert covered("", ONE + TWO + THREE + FOUR)[0] == ("", ONE)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [ONE, TWO, THREE, FOUR, "No. ", "x" * 50 + " ", "word " * 50, "你好。", " ", "\ud800"]
        )
    )
)
def test_both_sides_are_covered(sentences: list[str]) -> None:
    line, shorter = "".join(sentences), "".join(sentences[::2])
    covered(line, shorter)
    assert all(one == other for one, other in covered(line, line))


def test_stretches_without_ends_are_cut_alike() -> None:
    words = [f"{'abcdefghijk'[place * place % 11]}{place * place % 101}" for place in range(1000)]
    changed = [*words[:100], "added", *words[100:600], *words[601:]]
    pairs = covered(" ".join(words), " ".join(changed))
    assert max(len(one.split()) for pair in pairs for one in pair) <= 180
    assert sum(one == other for one, other in pairs) > len(pairs) - 8


def glued(path: Path, size: int) -> Iterator[list[tuple[str, str]]]:
    """Groups of translations by one system, each a sentence or several with a full stop at the end."""
    systems: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        for row in csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE):
            pair = (row["reference"].strip(), row["hypothesis"].strip())
            if all(side.endswith((".", "!", "?")) and side[:1].isupper() for side in pair):
                systems[row["system"]][row["segment_id"]] = pair
    for segments in systems.values():
        pairs = list(segments.values())[:200]
        yield from (pairs[at : at + size] for at in range(0, len(pairs) - size + 1, size))


@pytest.mark.parametrize(
    ("name", "language"),
    [("wmt21-da/ru-en-test", "en"), ("wmt21-mqm/zh-en-test", "en"), ("ted-mqm-spans/en-de-dev", "de")],
)
def test_real_translations_that_were_glued_together(name: str, language: str, data: Path) -> None:
    known = found = 0
    for group in glued(data / f"{name}.tsv.gz", 6):
        sides = [" ".join(side) for side in zip(*group, strict=True)]
        pairs = parts(sides[0], sides[1], language)
        ends = {(stop, end) for _, stop, _, end in pairs}
        at = other = 0
        for reference, hypothesis in group[:-1]:
            at, other = at + len(reference) + 1, other + len(hypothesis) + 1
            known, found = known + 1, found + ((at, other) in ends)
    assert known > 500
    assert found > 0.98 * known


PIECES = ["The dog", "barked", " ", ". ", ".", "! ", "?", '"', "“", "”", "« ", " »", "'", "’s", "1. "]
PIECES += ["...", "。", "你", "।", "\ud800", "\u3000"]


def sentences(text: str, language: str = "en") -> list[str]:
    spans = split(text, language)
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ['He said "Go away. ', 'Never come back." ', "She left. ", '"I did. ', 'You saw." ', "Mr. Doe did."]),
        ("en", ['"Go!" he said. ', "ASP.NET is 3.5 times www.Foo.com, e.g. here. ", "The dogs' tails."]),
        ("en", ["1. The first. ", "2. The second. ..."]),
        ("de", ["„Ja. ", "Nein.“ sagte er am 3. Mai. ", "„Gut.“"]),
        ("fr", ["« Oui. ", "Non. » ", "Il dit. ", "« Ah ? » ", "Bien."]),
        ("zh", ["他说：“好。", "我来。”", "然后走了。"]),
        ("hi", ["नमस्ते। ", "कैसे हैं?"]),
        ("zho_Hant", ["今天。", "明天！"]),
        ("und", ["Foo bar. ", "Baz qux?"]),
        ("en", ["..."]),
        ("en", []),
    ],
)  # fmt: skip
def test_sentences_of_many_languages(language: str, expected: list[str]) -> None:
    assert sentences("".join(expected), language) == expected


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from(["en", "de", "zh", "und"])
)
def test_nothing_is_lost_and_every_sentence_has_a_letter(text: str, language: str) -> None:
    found = sentences(text, language)
    assert "".join(found) == text
    assert all(any(map(str.isalpha, one)) for one in found) or len(found) == 1
