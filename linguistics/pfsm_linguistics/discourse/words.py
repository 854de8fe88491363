"""Words that the rules of discourse structures know: pronouns, quantifiers, modals, connectives; English."""

from collections.abc import Mapping

from pfsm.facts.tables import MONTHS, SIZES, SMALL, WEEKDAYS
from pfsm_linguistics.lists import by_word, words

# What a pronoun stands for: the speaker and the hearer are known, others have to be found.
KNOWN_PERSONS, OTHER_PERSONS = by_word("discourse-known-persons"), by_word("discourse-other-persons")
# Pronouns that stand for something mentioned before in the same line, if there is anything.
ANAPHORS = OTHER_PERSONS.keys() - {"this", "that", "these", "those"}
INDEFINITE, EVERY, NOBODY = (
    by_word("discourse-indefinite"),
    by_word("discourse-every"),
    by_word("discourse-nobody"),
)
QUESTION = by_word("discourse-question")
EVERY_DETERMINERS, NO_DETERMINERS = words("discourse-every-determiners"), words("discourse-no-determiners")
DEFINITE, MANY, NEGATIONS = words("discourse-definite"), words("discourse-many"), words("discourse-negations")
POSSIBLE, NECESSARY = words("discourse-possible"), words("discourse-necessary")
FUTURE, POSSIBLY = words("discourse-future"), words("discourse-possibly")
CONDITIONAL, CAUSAL = words("discourse-conditional"), words("discourse-causal")
CONTRASTIVE, ALTERNATIVE = words("discourse-contrastive"), words("discourse-alternative")
RELATIVE = words("discourse-relative")
# They stand for the noun that their clause is attached to, be they as deep in it as in "the man whose dog barks".
DEEP_RELATIVE = words("discourse-deep-relative")
# What they add to an hour before noon.
HALVES_OF_DAY: Mapping[str, int] = {"am": 0, "a.m.": 0, "pm": 12, "p.m.": 12, "o'clock": 0}
# Roles of question adverbs.
ASKED_ROLES: Mapping[str, str] = {"where": "AM-LOC", "when": "AM-TMP", "why": "AM-CAU", "how": "AM-MNR"}
# Prepositions of places, and adverbs that add no condition.
PLACES, FOCUS = words("discourse-places"), words("discourse-focus")
TIMES = frozenset([*MONTHS, *WEEKDAYS]) | words("discourse-times")
NUMBERS: Mapping[str, str] = {word: str(value) for word, value in (SMALL | SIZES).items() if value <= 10**9}
MALE_NAMES, FEMALE_NAMES = words("discourse-male-names"), words("discourse-female-names")
COUNTRIES, CITIES = words("discourse-countries"), words("discourse-cities")
