"""English: a word stands in another part of speech."""

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited, in_case_of, with_article
from pfsm.perturbation.english.dictionary import is_lemma
from pfsm.perturbation.kind import MINOR, english
from pfsm.perturbation.lists import words
from pfsm.perturbation.text import Text, Token

_NOUNS = (("ant", "ance"), ("ent", "ence"), ("ful", "fulness"), ("al", "ality"), ("able", "ability"),
          ("ous", "ousness"),
          ("ive", "iveness"), ("ic", "icity"), ("", "ness"), ("e", "ity"), ("", "ity"), ("y", "iness"))  # fmt: skip
_ADVERB_KEEPS = words("part-of-speech-adverb-keeps")


def _change(text: Text, dice: Dice) -> str | None:
    found = [(token, new) for token in text.parse.tokens if (new := _other(text, token)) is not None]
    if not found:
        return None
    token, new = dice.choice(found)
    changed = edited(text.line, [Edit(token.start, token.end, in_case_of(new, token.form))])
    return with_article(changed, token.start)


def _other(text: Text, token: Token) -> str | None:
    form = token.lower
    if not form.isalpha() or len(form) < 4:
        return None
    if (
        token.xpos == "JJ"
        and token.label in {"amod", "root", "xcomp"}
        and text.line[token.end : token.end + 1] == " "
    ):
        after = text.parse.next(token)
        # A noun before an adjective and a noun would be an adverb's place.
        if after is not None and (after.upos == "ADJ" or after.xpos in {"VBN", "VBG"}):
            return None
        return _adverb(form) or _noun(form)
    if token.xpos == "RB" and token.label == "advmod" and form.endswith("ly") and form not in _ADVERB_KEEPS:
        after = text.parse.next(token)
        return None if after is None or after.upos == "ADP" else _adjective(form)
    return None


def _adverb(form: str) -> str | None:
    made = (
        f"{form[:-1]}ily" if form.endswith("y") else f"{form[:-1]}y" if form.endswith("le") else f"{form}ly"
    )
    made = f"{form}ally" if form.endswith("ic") else made
    return made if is_lemma(made, "r") and not is_lemma(made, "a") else None


def _noun(form: str) -> str | None:
    for ending, new in _NOUNS:
        made = form[: len(form) - len(ending)] + new
        if form.endswith(ending) and is_lemma(made, "n"):
            return made
    return None


def _adjective(form: str) -> str | None:
    options = (
        form[:-2],
        f"{form[:-3]}y" if form.endswith("ily") else "",
        f"{form[:-1]}e",
        form[:-4] if form.endswith("ally") else "",
    )
    return next((one for one in options if one and is_lemma(one, "a") and not is_lemma(one, "r")), None)


KIND = english("part-of-speech", MINOR, "a word stands in another part of speech", _change)
