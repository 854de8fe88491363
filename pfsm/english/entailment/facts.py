"""Numbers, dates and names: facts that the other side has, lacks, or has differently."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from pfsm.english.entailment.sides import Pair, Side, share
from pfsm.english.entailment.values import Date

# Of two spellings of a name, by `difflib`; shorter names must be the same.
ALIKE = 0.8
SHORTEST = 4


def number_share(pair: Pair) -> float:
    """Share of the numbers whose value the other side has as well, each as often."""
    return share(
        (_values(pair.reference) & _values(pair.hypothesis)).total(), _values(pair.reference).total()
    )


def number_clash(pair: Pair) -> float:
    """How many numbers stand against others: the fewer of those that one side has alone and the other alone."""
    ours, theirs = _values(pair.reference), _values(pair.hypothesis)
    return float(min((ours - theirs).total(), (theirs - ours).total()))


def _values(side: Side) -> Counter[float]:
    return Counter(round(value, 6) for value in side.numbers)


def date_share(pair: Pair) -> float:
    """Share of the dates that agree with one of the other side."""
    ours, theirs = _dates(pair.reference), _dates(pair.hypothesis)
    return share(len(ours) - len(_alone(ours, theirs)), len(ours))


def date_clash(pair: Pair) -> float:
    """How many dates stand against others: the fewer of those without agreement on either side."""
    ours, theirs = _dates(pair.reference), _dates(pair.hypothesis)
    return float(min(len(_alone(ours, theirs)), len(_alone(theirs, ours))))


def _dates(side: Side) -> list[Date]:
    return [found.date for found in side.dates]


def _alone(ours: Sequence[Date], theirs: Sequence[Date]) -> list[Date]:
    return [one for one in ours if not any(one.agrees(other) for other in theirs)]


def name_share(pair: Pair) -> float:
    """Share of the words of names that the other side has: spelled alike, or within an acronym, or as one."""
    ours = list(_names(pair.reference))
    return share(len(ours) - _names_alone(pair), len(ours))


def name_clash(pair: Pair) -> float:
    """How many words of names stand against others: the fewer of those that one side has alone and the other alone."""
    return float(min(_names_alone(pair), _names_alone(pair.swapped)))


def _names_alone(pair: Pair) -> int:
    theirs = list(_names(pair.hypothesis))
    covered = _within_acronyms(pair.reference, [pair.hypothesis.forms[at] for at in theirs])
    initials = {"".join(form[0] for form in run) for run in _runs(pair.hypothesis)}
    others = [pair.hypothesis.words[at] for at in theirs]
    return sum(
        at not in covered
        and _letters(pair.reference.forms[at]) not in initials
        and not any(same_name(pair.reference.words[at], other) for other in others)
        for at in _names(pair.reference)
    )


def _names(side: Side) -> Iterator[int]:
    return (place for place, tag in enumerate(side.tags) if tag == "PROPN" and side.is_word(place))


def same_name(one: str, other: str) -> bool:
    """Whether two lower-cased words are the same name, perhaps spelled differently."""
    if one == other:
        return True
    return (
        min(len(one), len(other)) >= SHORTEST
        and SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
    )


def _letters(form: str) -> str:
    """An acronym without its points."""
    return form.replace(".", "")


def _runs(side: Side) -> Iterator[list[str]]:
    for run in _run_places(side):
        yield [side.forms[place] for place in run]


def _run_places(side: Side) -> Iterator[list[int]]:
    run: list[int] = []
    for place in _names(side):
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _within_acronyms(side: Side, forms: Sequence[str]) -> set[int]:
    """Places of names of several words whose initials one of the forms is."""
    acronyms = {_letters(form) for form in forms if len(_letters(form)) > 1 and form.isupper()}
    return {
        place
        for run in _run_places(side)
        if len(run) > 1 and "".join(side.forms[at][0] for at in run) in acronyms
        for place in run
    }
