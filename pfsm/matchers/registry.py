"""Every matcher by its name in ``settings.matchers``. A new kind of knowledge is one entry here, or a plug-in."""

from pfsm.matchers.plugin import checked_kind
from pfsm.matchers.protocol import MatcherKind
from pfsm.registry import Table

# The order is the default order of trying.
BUILT_IN = {
    "punct": "pfsm.matchers.agreement:PUNCTUATION",
    "word": "pfsm.matchers.agreement:WORDS",
    "lemma": "pfsm.matchers.agreement:LEMMAS",
    "morph": "pfsm.matchers.synonym:MORPHOLOGY",
    "syn": "pfsm.matchers.synonym:MATCHER",
    "para": "pfsm.matchers.paraphrase:MATCHER",
    "char": "pfsm.matchers.spelling:MATCHER",
    "num": "pfsm.matchers.number:MATCHER",
    "quantity": "pfsm.matchers.number:QUANTITY",
    "swap": "pfsm.matchers.agreement:SWAPS",
    "emb": "pfsm.matchers.embedding:MATCHER",
}
# Features that no matcher owns begin with these words: a matcher's begin with its name.
RESERVED = ("link", "feature")

MATCHERS: Table[MatcherKind] = Table("matcher", BUILT_IN, checked_kind, RESERVED.__contains__)
