"""A word of the source stands in the place of its translation, or near it."""

from pfsm.analysis.tokens import Word
from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text
from pfsm.text.plain import tokenise


def _change(text: Text, dice: Dice) -> str | None:
    own = {word.form.lower() for word in text.words}
    source = [form for form in tokenise(text.source) if any(map(str.isalpha, form))]
    foreign = [
        (at, form)
        for at, form in enumerate(source)
        if form.lower() not in own and (len(form) >= 4 or not form.isascii())
    ]
    targets = [
        word for word in text.content if not any(map(str.isdigit, word.form)) and not _is_name(text, word)
    ]
    if not foreign or not targets:
        return None
    word = dice.choice(targets)
    place = text.words.index(word) / len(text.words)
    _, form = min(foreign, key=lambda one: abs(one[0] / len(source) - place))
    return edited(text.line, [Edit(word.start, word.end, form)])


def _is_name(text: Text, word: Word) -> bool:
    return word.start not in text.is_first and word.form[:1].isupper()


KIND = Kind("untranslated", CRITICAL, "a word of the source is left as it is", _change, source=True)
