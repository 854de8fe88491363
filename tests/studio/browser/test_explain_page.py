"""The page of explanations in a real browser: it draws, sorts, filters, explains, and fits its window."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from pfsm.model.explain.explanation import Explanation, FeaturePoints, TextError
from pfsm_studio.explanation import SCRIPTS, asset, render_page
from tests.explanation_cases import explained, rotated, swapped
from tests.studio.browser.axe import axe_faults
from tests.studio.browser.devtools import Browser
from tests.studio.browser.layout import layout_faults

SHOWN = "[...document.querySelectorAll('.card')].map((card) => Number(card.id.split('-')[1]))"
ODD = "<b>bold</b> </script> & \"quoted\" 'it' 😀 a{{data}}b"
RIGHT_TO_LEFT = "ذهب الولد إلى المدرسة في الصباح"
LONG = " ".join(f"word{k}" for k in range(60))


def first_system() -> list[Explanation]:
    return [
        swapped(),
        explained("the cat sat on the mat .", "the cat sat on the mat ."),
        explained("a small red house", "one small blue house here"),
        explained("", "only inserted"),
        explained("only deleted words here", ""),
        explained("", ""),
        explained(ODD, ODD.replace("bold", "brave")),
        explained(RIGHT_TO_LEFT, "الولد إلى المدرسة في المساء"),
        explained(LONG, LONG.replace("word7 ", "other ").replace("word30", "x" * 90)),
    ]


def second_system() -> list[Explanation]:
    first = first_system()
    return [explained(" ".join(one.reference), " ".join(one.reference[::2])) for one in first]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Writes a page, opens it in a window of some width; at the end nothing may have gone wrong in it."""

    def opened(*systems: tuple[str, Sequence[Explanation]], width: int = 1280, where: str = "") -> Browser:
        path = tmp_path / "page.html"
        path.write_text(render_page(systems, "A page", "model:toy"), encoding="utf-8", newline="\n")
        browser.size(width, 900)
        browser.open(path.as_uri() + where)
        browser.frame()
        return browser

    yield opened
    browser.check()


def choose(browser: Browser, name: str) -> None:
    """Chooses what to sort by."""
    browser.evaluate(
        "(() => { const key = document.getElementById('key');"
        f"key.selectedIndex = [...key.options].findIndex((option) => option.text === '{name}');"
        "key.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def order(values: Sequence[float], descending: bool = False) -> list[int]:
    """Segment numbers by value; equal ones stay in the order of the file."""
    sign = -1 if descending else 1
    return [k + 1 for k in sorted(range(len(values)), key=lambda k: (sign * values[k], k))]


def test_words_stand_on_the_page_as_they_are(show: Any) -> None:
    segments = first_system()
    browser = show(("one", segments))
    for number, segment in enumerate(segments, 1):
        browser.evaluate(f"document.getElementById('segment-{number}').scrollIntoView()")
        browser.wait(f"document.querySelector('#segment-{number} .figure')")
        words = browser.evaluate(
            f"[...document.querySelectorAll('#segment-{number} .token')].map((token) => token.textContent)"
        )
        assert words == [*segment.reference, *segment.hypothesis]
    assert browser.evaluate("document.querySelector('#segment-6 .figure').textContent").count("(empty)") == 2
    assert browser.evaluate("document.querySelector('main b')") is None


READ = """
return segments.map((segment) => segment.raws.map((raw) => {
  const parts = readContributions(raw);
  const place = ({ state, reference, hypothesis }) => [state, reference, hypothesis];
  return {
    ...raw,
    edits: readEdits(raw.edits, parts).map((edit) => [...place(edit), edit.jump]),
    contributions: parts.map((part) => [...place(part), part.posterior, Number(part.points.toFixed(9))]),
    features: raw.features.map(([name, value, added]) => [data.features[name], value, added]),
  };
}))
"""


def test_the_page_reads_what_it_was_made_from(show: Any) -> None:
    """All of it; what is improbable stays where it is on the best sequence."""
    features = (FeaturePoints("length", -0.5, 0.25), FeaturePoints("f", 1.25, -2.0))
    good = explained("a b", "a")
    given, shown = (
        replace(good, contributions=tuple(replace(one, posterior=size) for one in good.contributions))
        for size in (1e-9, 1e-4)
    )
    first = [swapped(), replace(explained("a b , c", "b a"), features=features), explained("", "")]
    second = [explained(LONG, ODD), swapped(), first[1]]
    browser = show(("one", [*first, given]), ("two", [*second, given]))
    # What the page's own scripts make of it, which it keeps to itself.
    scripts = "\n".join(map(asset, SCRIPTS[: SCRIPTS.index("segments.js") + 1]))
    pairs = zip([*first, shown], [*second, shown], strict=True)
    for found, objects in zip(browser.evaluate(f"(() => {{ {scripts}\n{READ} }})()"), pairs, strict=True):
        for read, one in zip(found, objects, strict=True):
            wanted = json.loads(json.dumps(asdict(one)))
            for name in ("reference", "hypothesis", "score", "entropy", "base"):
                assert read[name] == wanted[name]
            for name in ("edits", "contributions", "features"):
                rows = [[*row.values()] for row in wanted[name]]
                assert sorted(read[name], key=str) == sorted(rows, key=str)


def test_one_system_is_sorted_by_number_score_and_length(show: Any) -> None:
    segments = first_system()
    browser = show(("one", segments))
    scores = [segment.score for segment in segments]
    assert browser.evaluate(SHOWN) == order(scores)
    browser.click("#direction")
    assert browser.evaluate(SHOWN) == order(scores, descending=True)
    choose(browser, "Length of the reference")
    assert browser.evaluate(SHOWN) == order([len(segment.reference) for segment in segments])
    choose(browser, "Segment number")
    assert browser.evaluate(SHOWN) == list(range(1, len(segments) + 1))


def test_text_and_scores_filter(show: Any) -> None:
    segments = first_system()
    browser = show(("one", segments))
    choose(browser, "Segment number")
    browser.fill("text", "CAT SAT")
    assert browser.evaluate(SHOWN) == [2]
    assert browser.evaluate("document.getElementById('count').textContent") == "1 of 9 segments"
    browser.fill("text", "no such words")
    assert browser.evaluate(SHOWN) == []
    assert browser.evaluate("document.getElementById('none').checkVisibility()")
    browser.fill("text", "")
    browser.fill("low", "-0.5")
    browser.fill("high", "1")
    kept = [number for number, segment in enumerate(segments, 1) if -0.5 <= segment.score <= 1.0]
    assert 0 < len(kept) < len(segments)
    assert browser.evaluate(SHOWN) == kept
    browser.click("#clear")
    browser.wait(f"document.querySelectorAll('.card').length === {len(segments)}")
    browser.fill("short", "4")
    browser.fill("long", "7")
    kept = [number for number, segment in enumerate(segments, 1) if 4 <= len(segment.reference) <= 7]
    assert 0 < len(kept) < len(segments)
    assert sorted(browser.evaluate(SHOWN)) == kept


def test_thousands_of_segments_are_listed_as_they_come_into_view(show: Any) -> None:
    lost = TextError(0, 2, "major", 0.75, "14 dogs", "15 dogs")
    many = [replace(swapped(), score=float(k), perfect=600.0, errors=(lost,)) for k in range(500)]
    browser = show(("one", many))
    assert browser.count(".card") == 200
    assert browser.evaluate("document.querySelector('.card').id") == "segment-1", "the worst comes first"
    (row,) = browser.texts("#spans tbody tr")
    assert "numbers changed: 500 segments" in row
    assert browser.evaluate("document.querySelector('.bars').childElementCount") == 30
    browser.evaluate("document.getElementById('more').scrollIntoView()")
    browser.wait("document.querySelectorAll('.card').length > 200")
    for width in (360, 1280):
        browser.size(width, 900)
        browser.frame()
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_pointing_at_a_word_tells_its_edits_and_marks_its_partner(show: Any) -> None:
    browser = show(("one", [swapped()]))
    browser.point(".token[aria-label^='reference 1']")
    rows = browser.texts("#detail tbody tr")
    # By their posteriors.
    assert [re.sub(r"\s+", " ", row).strip() for row in rows] == [
        "● same word yesterday → yesterday88 %+0.2500",
        "another form of the word yesterday → barked25 %+0.0156",
        "missing word 13 %−0.0625",
    ]
    marked = browser.evaluate(
        "[...document.querySelectorAll('.token.on')].map((token) => token.ariaLabel.split(':')[0])"
    )
    assert marked == ["reference 1", "hypothesis 4"]
    assert browser.count(".line.on") == 1
    browser.point("h1")
    assert browser.evaluate("document.getElementById('detail').hidden")
    assert browser.evaluate("document.querySelector('.on')") is None
    # Dotted lines are the other alignments.
    assert browser.count(".line") == 5
    assert browser.count(".line.other") == 1
    label = browser.evaluate("document.querySelector('.line.other').getAttribute('aria-label')")
    assert label == "another form of the word: yesterday → barked, posterior 25 %, +0.0156 points"


def test_the_sequence_numbers_its_jumps_and_the_sum_adds_up(show: Any) -> None:
    explanation = swapped()
    browser = show(("one", [explanation]))
    chips = browser.texts(".chips .chip")
    same = "same word"
    sequence = ["1", same, "2", same, "another form of the word", same, "3"]
    assert chips == [f"change of word order{one}" if one.isdigit() else one for one in sequence]
    numbers = browser.texts(".sum .points")
    *parts, score = [float(text.replace("−", "-")) for text in numbers]
    assert len(parts) == 6
    assert score == pytest.approx(explanation.score, abs=0.0005)
    assert sum(parts) == pytest.approx(explanation.score, abs=0.0035)


LINES_MEET_WORDS = """
(() => {
  const wrong = [];
  for (const figure of document.querySelectorAll('.figure')) {
    const boxes = [...figure.querySelectorAll('.token')].map(({ offsetLeft: left, offsetTop: top, offsetWidth: width,
      offsetHeight: height, spot }) => ({ left, top, right: left + width, bottom: top + height, ...spot }));
    const over = (a, b) => a !== b && a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    wrong.push(...boxes.filter((a) => boxes.some((b) => over(a, b))));
    const word = (side, k) => boxes.find((box) => box.side === side && box.k === k);
    for (const { line } of figure.querySelectorAll('.line')) {
      const length = line.stroke.getTotalLength();
      for (const [side, k, at] of [['reference', line.i, 0], ['hypothesis', line.j, length]]) {
        const point = line.stroke.getPointAtLength(at);
        const box = word(side, k);
        const x = point.x - ((box.left + box.right) / 2);
        // The edge that faces the other word, so that a line never crosses the words it joins.
        const upwards = word('hypothesis', line.j).bottom <= word('reference', line.i).top;
        const edge = (side === 'reference') === upwards ? box.top : box.bottom;
        if (Math.abs(x) > 1 || Math.abs(point.y - edge) > 1) wrong.push([side, k]);
      }
      const crosses = ({ x, y }) => boxes.some((box) =>
        x > box.left + 1 && x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1);
      for (let at = 0; at < length; at += 4) if (crosses(line.stroke.getPointAtLength(at))) wrong.push([line.i, at]);
    }
  }
  return wrong;
})()
"""


def test_lines_meet_their_words_at_every_width(show: Any) -> None:
    browser = show(
        ("one", [*first_system(), rotated(LONG, 9)]), ("two", [*second_system(), rotated(LONG, 50)])
    )
    for width in (1280, 390, 320, 900):
        browser.size(width, 20000)
        browser.frame()
        browser.frame()
        assert browser.count(".figure") == 20
        assert browser.evaluate(LINES_MEET_WORDS) == []
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.evaluate(LINES_MEET_WORDS) == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= 900
    assert browser.evaluate("document.body.offsetWidth") <= 717, "the width of A4 at 96 dots an inch"


def test_right_to_left_sentences_run_right_to_left(show: Any) -> None:
    browser = show(("one", [explained(RIGHT_TO_LEFT, RIGHT_TO_LEFT), explained("one two", "one two")]))
    lefts = "[...document.querySelectorAll('#segment-{} .token')].map((token) => token.offsetLeft)"
    arabic = browser.evaluate(lefts.format(1))[:6]
    assert arabic == sorted(arabic, reverse=True)
    english = browser.evaluate(lefts.format(2))[:2]
    assert english == sorted(english)
    browser.evaluate("document.querySelector('#segment-1 .token').focus()")
    browser.press("ArrowLeft")
    assert browser.evaluate(FOCUS).startswith("reference 2:")


@pytest.mark.parametrize(
    ("width", "phone", "dark"), [(1280, False, False), (390, True, False), (390, True, True)]
)
def test_everything_has_a_name_a_role_and_contrast(show: Any, width: int, phone: bool, dark: bool) -> None:
    browser = show(("one", first_system()), ("two", second_system()))
    browser.size(width, 900, dark, phone)
    browser.frame()
    assert axe_faults(browser, colours=dark) == []


FOCUS = "document.activeElement.getAttribute('aria-label') || document.activeElement.id"


def test_the_keyboard_leads_through_segments_words_and_lines(show: Any) -> None:
    browser = show(("one", [swapped(), *first_system()]))
    choose(browser, "Segment number")
    browser.evaluate("document.getElementById('clear').focus()")
    steps = [
        ("Tab", "segment-1"),
        ("ArrowDown", "segment-2"),
        ("End", "segment-10"),
        ("Home", "segment-1"),
        ("Tab", "reference 1: yesterday, same word, aligned with yesterday"),
        ("ArrowRight", "reference 2: the, same word, aligned with the"),
        ("ArrowDown", "same word: the → the, posterior 88 %, +0.250 points"),
        ("ArrowDown", "hypothesis 1: the, same word, aligned with the"),
        ("ArrowRight", "hypothesis 2: dogs, another form of the word, aligned with dog"),
        ("ArrowUp", "another form of the word: dog → dogs, posterior 88 %, +0.188 points"),
        ("ArrowUp", "reference 3: dog, another form of the word, aligned with dogs"),
    ]
    for key, where in steps:
        browser.press(key)
        assert browser.evaluate(FOCUS) == where
    assert not browser.evaluate("document.getElementById('detail').hidden")
    assert browser.evaluate("document.activeElement.getAttribute('aria-describedby')") == "detail"
    assert "dogs" in browser.evaluate("document.getElementById('detail').textContent")
    browser.press("Escape")
    assert browser.evaluate(FOCUS) == "segment-1"
    assert browser.evaluate("document.getElementById('detail').hidden")


def test_a_model_without_edits_shows_no_alignment(show: Any) -> None:
    features = (FeaturePoints("chrf", 1.25, 0.5), FeaturePoints("ter.shifts", -0.5, -0.125))
    words = ("the", "cat", "sat"), ("a", "cat", "sat", "there")
    without = [Explanation(*words, 5.375, (), (), 0.0, 5.0, features, edited=False)]
    browser = show(("one", without), ("two", without))
    browser.wait("document.querySelector('#segment-1 .figure')")
    page = browser.evaluate("document.body.innerText")
    assert "This model has no edits: only features contribute to the score." in page
    assert "Best edit sequence" not in page
    assert "Entropy" not in page
    assert browser.count(".line, .legend li, .token.delete, .token.insert") == 0
    names = "character n-grams in common (chrF), +1.3 sd", "ter.shifts, −0.5 sd"
    assert browser.texts("#segment-1 .sum tbody th")[:4] == ["Base", *names, "Score"]
    assert browser.texts("#segment-1 .sum .points")[:4] == ["5.000", "+0.500", "−0.125", "5.375"]
    browser.click("#segment-1 .token")
    assert browser.evaluate("document.getElementById('detail').hidden")
    assert browser.evaluate("document.getElementById('guide-edits').hidden")


def test_nothing_sticks_out_or_overlaps(show: Any) -> None:
    assert layout_faults(show(("one", first_system()), ("two", second_system()))) == []
