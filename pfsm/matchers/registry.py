"""Every matcher by its name in ``settings.matchers``. A new kind of knowledge is one line here."""

from collections.abc import Callable

from pfsm.matchers.agreement import AgreementMatcher, lemma_keys, punctuation_keys, word_keys
from pfsm.matchers.protocol import Matcher

# From the largest block to the matcher; the order is the default order of trying.
MATCHERS: dict[str, Callable[[int], Matcher]] = {
    "punct": lambda max_block: AgreementMatcher("punct", punctuation_keys, max_block),
    "word": lambda max_block: AgreementMatcher("word", word_keys, max_block),
    "lemma": lambda max_block: AgreementMatcher("lemma", lemma_keys, max_block),
}


def matcher_state(name: str) -> str:
    """Name of the substitution state of a registered matcher."""
    return MATCHERS[name](1).state
