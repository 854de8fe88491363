"""Words that the rules of discourse structures know: pronouns, quantifiers, modals, connectives; English."""

from collections.abc import Mapping

from pfsm.english.lists import words
from pfsm.english.tables import MONTHS, SIZES, SMALL, WEEKDAYS

# What a pronoun stands for: the speaker and the hearer are known, others have to be found.
KNOWN_PERSONS: Mapping[str, str] = {
    "i": "speaker", "me": "speaker", "my": "speaker", "mine": "speaker", "myself": "speaker", "we": "speaker",
    "us": "speaker", "our": "speaker", "ours": "speaker", "ourselves": "speaker", "you": "hearer", "your": "hearer",
    "yours": "hearer", "yourself": "hearer", "yourselves": "hearer",
}  # fmt: skip
OTHER_PERSONS: Mapping[str, str] = {
    "he": "male", "him": "male", "his": "male", "himself": "male", "she": "female", "her": "female", "hers": "female",
    "herself": "female", "it": "entity", "its": "entity", "itself": "entity", "they": "person", "them": "person",
    "their": "person", "theirs": "person", "themselves": "person", "this": "entity", "that": "entity",
    "these": "entity", "those": "entity",
}  # fmt: skip
# Pronouns that stand for something mentioned before in the same line, if there is anything.
ANAPHORS = frozenset(OTHER_PERSONS) - {"this", "that", "these", "those"}
INDEFINITE: Mapping[str, str] = {
    "someone": "person", "somebody": "person", "anyone": "person", "anybody": "person", "something": "entity",
    "anything": "entity", "one": "person",
}  # fmt: skip
EVERY: Mapping[str, str] = {
    "everyone": "person", "everybody": "person", "everything": "entity", "all": "entity",
}  # fmt: skip
NOBODY: Mapping[str, str] = {"nobody": "person", "no-one": "person", "nothing": "entity", "none": "entity"}
QUESTION: Mapping[str, str] = {
    "who": "person", "whom": "person", "whose": "person", "what": "entity", "which": "entity", "where": "location",
    "when": "time", "why": "cause", "how": "manner",
}  # fmt: skip
EVERY_DETERMINERS = frozenset({"every", "each", "all"})
NO_DETERMINERS = frozenset({"no", "neither"})
DEFINITE = frozenset({"the", "this", "that", "these", "those"})
MANY = frozenset({"many", "much", "several", "few", "more", "most", "some", "lot"})
NEGATIONS = frozenset({"not", "n't", "n’t", "never"})
POSSIBLE = frozenset({"can", "could", "may", "might"})
NECESSARY = frozenset({"must", "should", "ought", "shall"})
FUTURE = frozenset({"will", "wo", "'ll", "’ll", "gon"})
POSSIBLY = frozenset({"maybe", "perhaps", "possibly"})
CONDITIONAL = frozenset({"if", "unless", "whenever"})
CAUSAL = frozenset({"because", "since", "as", "so"})
CONTRASTIVE = frozenset({"but", "although", "though", "yet", "whereas"})
ALTERNATIVE = frozenset({"or", "nor"})
RELATIVE = frozenset({"that", "which", "who", "whom"})
# They stand for the noun that their clause is attached to, be they as deep in it as in "the man whose dog barks".
DEEP_RELATIVE = frozenset({"which", "who", "whom", "whose", "where", "when", "why"})
# What they add to an hour before noon.
HALVES_OF_DAY: Mapping[str, int] = {"am": 0, "a.m.": 0, "pm": 12, "p.m.": 12, "o'clock": 0}
# Roles of question adverbs.
ASKED_ROLES: Mapping[str, str] = {"where": "AM-LOC", "when": "AM-TMP", "why": "AM-CAU", "how": "AM-MNR"}
# Prepositions of places.
PLACES = frozenset(
    {"in", "at", "on", "under", "near", "behind", "above", "below", "inside", "outside", "beside"}
)
# Adverbs that add no condition.
FOCUS = frozenset(
    {"also", "too", "only", "just", "even", "then", "so", "please", "either", "still", "already", "yet"}
)
TIMES = frozenset([*MONTHS, *WEEKDAYS]) | words("discourse-times")
NUMBERS: Mapping[str, str] = {word: str(value) for word, value in (SMALL | SIZES).items() if value <= 10**9}
MALE_NAMES, FEMALE_NAMES = words("discourse-male-names"), words("discourse-female-names")
COUNTRIES, CITIES = words("discourse-countries"), words("discourse-cities")
