"""Each kind of change: what it makes of a sentence, against all outcomes that are right, written down by hand."""

from collections import Counter

import pytest

from pfsm.facts.tables import MONTHS
from pfsm.perturbation.catalogue import all_kinds, kind_named
from pfsm.perturbation.text import Dice, Pool, Text
from pfsm_linguistics.perturbation.parsing import parses

DRAWS = 60
OTHERS = ("Seven gulls circled over Lisbon harbour while fishermen mended torn nets.",)


def changes(
    kind: str, line: str, *, language: str = "en", source: str = "", others: tuple[str, ...] = OTHERS
) -> set[str]:
    """All that a kind makes of a line under many seeds; empty where it does not apply."""
    found = kind_named(kind)
    parse = parses([line], cache=False)[0] if found.is_for("en") and language == "en" else None
    text = Text(line, language, Pool([line, *others]), source, parse)
    results = [found.change(text, Dice(seed, kind, line)) for seed in range(DRAWS)]
    return {one for one in results if one is not None}


def table(text: str) -> list[list[str]]:
    """Rows of cells between bars; a row goes on where a line is indented."""
    rows = text.strip("\n").replace("\n   ", "").splitlines()
    return [[cell.strip() for cell in row.split("|")] for row in rows]


# Kind, sentence, outcomes.
EXACT = table(
    """
drop-word | The boat sank in June. | The boat in June. / The boat sank in. / The sank in June.
repeat-word | Boats sank. | Boats Boats sank. / Boats sank sank.
repeat-word-4 | Boats sank. | Boats Boats Boats Boats Boats sank. / Boats sank sank sank sank sank.
repeat-phrase | Old boats sank in June. |
    Old boats sank in June boats sank in June. / Old boats sank in June sank in June. /
    Old boats sank in boats sank in June.
swap-words | The old boat sank. | Old the boat sank. / The boat old sank.
truncate | One two three four five six. | One two three / One two three four
swap-numbers | In 1990, they sold 12 boats. | In 12, they sold 1990 boats.
swap-names | Anna met the teacher of Peter in the park. | Peter met the teacher of Anna in the park.
change-name | We met Anna there. | We met Lisbon there.
join-words | They left | Theyleft
lower-first | They left. | they left.
lower-name | We met Anna. | We met anna.
lower-all | We met Anna. | we met anna.
upper-all | We met Anna. | WE MET ANNA.
drop-punctuation | They left early. | They left early
change-punctuation | They left early. | They left early, / They left early; / They left early?
add-punctuation | The boat sank. | The, boat sank.
tokenise | He left, too. | He left , too .
detokenise | They left, and it rained. | They left,and it rained.
drop-negation | The committee did not approve the plan. | The committee did approve the plan.
drop-negation | They can't wait for the result. | They can wait for the result.
drop-negation | There is no water in the well. | There is some water in the well.
add-negation | The ferry leaves at noon. | The ferry does not leave at noon.
add-negation | She can swim. | She cannot swim.
antonym | The old man bought the house. |
    The new man bought the house. / The old man sold the house. / The young man bought the house.
hypernym | We took the helicopter. | We took the aircraft.
tense | The ferry leaves at noon. | The ferry left at noon.
tense | The trial will begin in the autumn. | The trial began in the autumn.
aspect | The box contains a letter. | The box is containing a letter.
aspect | They sold the boat two years ago. | They have sold the boat two years ago.
aspect | He has worked here since May. | He works here since May.
agreement | The girl sings well. | The girl sing well.
pronoun | They sold their house. |
    They sold our house. / They sold your house. / We sold their house. / You sold their house.
gender | The man sold his boat. | The man sold her boat. / The woman sold his boat.
role-swap | The moth mimics the wasp. | The wasp mimics the moth.
role-swap | The dogs chase the cat. | The cat chases the dogs.
unit | It costs $30. | It costs €30.
unit | It weighs 30 kg. | It weighs 30 g. / It weighs 30 mg.
quantifier | Many boats sank. | Few boats sank.
modality | You must leave. | You can leave. / You may leave.
question | The ferry leaves at noon. | Does the ferry leave at noon?
question | She can swim. | Can she swim?
drop-subject | The ferry leaves at noon. | Leaves at noon.
drop-verb | The ferry crosses the river. | The ferry the river.
drop-noun | The ferry crosses the river. | The crosses the river. / The ferry crosses the.
drop-adjective | He bought an old boat. | He bought a boat.
drop-prepositional-phrase | The ferry leaves at noon. | The ferry leaves.
part-of-speech | The quick dog barked. | The quickly dog barked.
preposition | The ferry leaves from the harbour. |
    The ferry leaves into the harbour. / The ferry leaves without the harbour.
article | The ferry crosses a river. | Ferry crosses a river. / The ferry crosses river.
unicode-punctuation | "It's late," she said - and left. | “It’s late,” she said – and left.
unicode-punctuation | “It’s late,” she said – and left… | "It's late," she said - and left...
number-form | We saw 1,500 people. | We saw 1500 people.
number-form | He has three dogs. | He has 3 dogs.
contraction | They do not know. | They don't know.
contraction | We're late. | We are late.
synonym | He bought a huge house. | He bought an enormous house. / He purchased a huge house.
synonym | It is difficult to swim. | It is hard to swim.
passive | The storm destroyed the bridge. | The bridge was destroyed by the storm.
passive | On Monday, the storm destroyed a bridge. | On Monday, a bridge was destroyed by the storm.
passive | He said that the board will reject the plan. | He said that the plan will be rejected by the board.
reorder-adjunct | On Monday, the ferry left the harbour. | The ferry left the harbour on Monday.
reorder-adjunct | The ferry left the harbour on Monday. | On Monday, the ferry left the harbour.
spelling-variant | The colour of the harbor faded. |
    The color of the harbor faded. / The colour of the harbour faded.
"""
)
NUMBERS = ("two", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LONG = [
    ("empty", "They left.", {""}),
    ("other-text", "They left.", set(OTHERS)),
    ("add-number", "He sold the boats.", {f"He sold the {n} boats." for n in range(12, 99)}),
    ("change-number", "He has three dogs.", {f"He has {word} dogs." for word in NUMBERS}),
    ("change-number", "It is 42 metres long.", {f"It is {n}2 metres long." for n in "12356789"}
     | {f"It is 4{n} metres long." for n in "013456789"}),
    ("change-date", "The ferry sank in June.",
     {f"The ferry sank in {month.capitalize()}." for month in MONTHS if month != "june"}),
]  # fmt: skip


@pytest.mark.parametrize("kind", [kind for kind in all_kinds() if kind in {row[0] for row in EXACT}])
def test_all_outcomes(kind: str) -> None:
    for name, line, expected in EXACT:
        if name == kind:
            assert changes(kind, line) == set(expected.split(" / ")), line


def test_long_lists_of_outcomes() -> None:
    for kind, line, expected in LONG:
        found = changes(kind, line)
        assert found <= expected
        assert len(found) > min(5, len(expected) - 1)


# What is left would be odd, mean the same, or be sound English with a shade of meaning at most: the ends of phrases are
# not certain, a synonym does not fit the place, a phrase is set, a title or a mass needs no article.
SAME = table(
    """
drop-negation | Not only the ferry but also the boat sank. / He asked whether or not it was true.
add-negation | The outcome is uncertain. / Is the ferry late?
role-swap | Anna married Peter. / He hurt himself.
swap-names | Anna and Peter left. / Lower Kent, Sussex, Surrey and Essex are wet.
swap-numbers | It takes 3 or 4 days.
drop-subject | In the U.S. the boys play a game.
agreement | The team are late.
tense | She said so. / He said that the boat was late. / Storm hits the coast
quantifier | A few boats sank.
article | She works as a nurse. / They saw the captain Olsen. / The reduction of taxes helps.
lower-first | NATO met.
drop-punctuation | He lives in the U.S.
aspect | The ferry leaves at noon. / They have sold the boat. / I think they miss us.
antonym | He lay in the grass. / The former mayor left. / They went to round three.
hypernym | The spokesman met tourists. / The entry reads like this.
lower-name | They joined the chamber of Commerce.
change-name | Villagers left.
change-date | It cost 2000 yen.
pronoun | I. Newton wrote books.
drop-adjective | A fellow patient screamed. / Ten new cases were confirmed.
part-of-speech | They left quietly of late.
detokenise | He left , too . / A. Olsen won 3, 2.
synonym | It happens to them. / It is more difficult to swim. / Crowds demonstrated in town. / They made a big leap.
passive | The boat caught fire. / I published a letter. / They elected Olsen mayor. /
    Like Anna, the board rejected the plan. / Her friend, a poet, published a letter. /
    The man published a letter and left. / The board rejected a plan that cost too much.
reorder-adjunct | The start is planned for May. / On Monday, she died as a result of injuries. /
    She lived there from 1950 until her death in 1990. / He said that they left on Monday.
repeat-word | Very very that that.
"""
)


@pytest.mark.parametrize(("kind", "lines"), SAME)
def test_changes_that_say_the_same_are_avoided(kind: str, lines: str) -> None:
    for line in lines.split(" / "):
        assert changes(kind, line) == set(), line


def bag(line: str) -> Counter[str]:
    return Counter(line.lower().replace(".", " .").split())


def test_shuffled_words_are_the_same_words() -> None:
    line = "The old boat slowly left the crowded harbour."
    found = changes("shuffle-words", line)
    assert len(found) > 10
    assert {frozenset(bag(one).items()) for one in found} == {frozenset(bag(line).items())}
    assert line not in found


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("drop-phrase", 3, 6), ("add-phrase", 3, 5), ("add-word", 1, 1)]
)
@pytest.mark.parametrize("end", [".", ""])
def test_runs_of_words(kind: str, low: int, high: int, end: str) -> None:
    line = "The old boat slowly left the crowded harbour before the storm began" + end
    found = changes(kind, line, others=(OTHERS[0].rstrip(".") + end,))
    assert len(found) > 3
    for one in found:
        more, less = bag(one) - bag(line), bag(line) - bag(one)
        changed, other = (less, more) if kind == "drop-phrase" else (more, less)
        assert low <= changed.total() <= high
        assert not other
        words = line.split() if kind == "drop-phrase" else OTHERS[0].split()
        run = [word.strip(".").lower() for word in words]
        assert set(changed) - {"."} <= set(run)


@pytest.mark.parametrize("kind", ["misspell", "drop-letter", "transpose-letters"])
def test_misspelt_words(kind: str) -> None:
    line = "The harbour was crowded."
    found = changes(kind, line)
    assert len(found) > 5
    for one in found:
        [(old, new)] = [pair for pair in zip(line.split(), one.split(), strict=True) if pair[0] != pair[1]]
        assert old[0] == new[0]
        assert old.rstrip(".")[-1] == new.rstrip(".")[-1]
        if kind == "misspell":
            assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
        elif kind == "drop-letter":
            assert new in {old[:at] + old[at + 1 :] for at in range(len(old))}
        else:
            at = next(k for k in range(len(old)) if old[k] != new[k])
            assert new == old[:at] + old[at + 1] + old[at] + old[at + 2 :]


def test_no_misspelling_is_a_word_and_words_of_the_source() -> None:
    # Every letter that can be dropped from "boats" leaves a word: bots, bats, boas.
    assert changes("drop-letter", "boats") == set()
    found = changes("untranslated", "The ferry crosses the river.", source="Die Fähre überquert den Fluss.")
    assert found == {
        "The Fähre crosses the river.", "The ferry überquert the river.", "The ferry crosses the Fluss.",
    }  # fmt: skip


def test_every_kind_is_tested() -> None:
    elsewhere = {
        "shuffle-words", "drop-phrase", "add-phrase", "add-word", "misspell", "drop-letter", "transpose-letters",
        "untranslated",
    }  # fmt: skip
    assert {kind for kind, _, _ in (*EXACT, *LONG)} | elsewhere == set(all_kinds())


OTHER_LANGUAGES = [
    ("change-date", "de", "Am 3.10.1990 kam er.", {f"Am {n:02d}.10.1990 kam er." for n in range(1, 13)}
     | {f"Am {n}.10.1990 kam er." for n in range(1, 13)}),
    ("swap-words", "zh", "今天下雨", {"天今下雨", "今下天雨", "今天雨下"}),
    ("change-punctuation", "zh", "今天下雨。", {"今天下雨？", "今天下雨，"}),
    ("swap-names", "fr", "Le frère de Marie voit souvent Pierre.", {"Le frère de Pierre voit souvent Marie."}),
    ("lower-first", "ru", "Они ушли.", {"они ушли."}),
    ("add-number", "hi", "वह गया", {f"वह {n} गया" for n in range(12, 99)}),
]  # fmt: skip


def test_other_languages() -> None:
    for kind, language, line, expected in OTHER_LANGUAGES:
        found = changes(kind, line, language=language)
        assert found
        assert found <= expected
