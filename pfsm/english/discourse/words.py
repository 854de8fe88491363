"""Words that the rules of discourse structures know: pronouns, quantifiers, modals, connectives; English."""

from collections.abc import Mapping

from pfsm.english.tables import MONTHS, SIZES, SMALL, WEEKDAYS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
TIMES = frozenset([*MONTHS, *WEEKDAYS]) | _words(
    """
    today tomorrow yesterday tonight now then morning evening afternoon night noon midnight day week month year hour
    minute second moment century decade weekend
    """
)
NUMBERS: Mapping[str, str] = {word: str(value) for word, value in (SMALL | SIZES).items() if value <= 10**9}
MALE_NAMES = _words(
    """
    adam alan albert alex alexander andrew anthony arthur ben benjamin bill bob brian charles chris
    christopher dan daniel david dick donald edward eric ernest frank fred gary george harold harry henry
    jack jacob james jason jeff jim joe john joseph justin karl keith kevin larry leonard louis mark martin
    matthew max michael mike nathan nicholas patrick paul peter philip ralph ray richard robert roger ronald
    sam samuel scott simon stephen steve steven ted terry thomas tim timothy tom tony victor walter william
    """
)
FEMALE_NAMES = _words(
    """
    alice amy andrea angela ann anna anne barbara betty carol caroline catherine christine claire cynthia
    deborah diana donna dorothy elizabeth ellen emily emma eva frances grace hannah heather helen jane janet
    jennifer jessica joan judith judy julia julie karen kate katherine kathleen kim laura linda lisa lucy
    margaret maria marie martha mary michelle nancy nicole olivia pamela patricia rachel rebecca rose ruth
    sandra sarah sharon sophie stephanie susan teresa victoria virginia
    """
)
COUNTRIES = _words(
    """
    afghanistan argentina australia austria belgium brazil britain bulgaria canada chile china colombia cuba
    denmark egypt england ethiopia finland france germany greece hungary iceland india indonesia iran iraq
    ireland israel italy japan kenya korea malaysia mexico morocco netherlands nigeria norway pakistan peru
    poland portugal romania russia scotland singapore spain sweden switzerland syria taiwan thailand turkey
    ukraine usa vietnam wales
    """
)
CITIES = _words(
    """
    amsterdam athens bangkok barcelona beijing berlin boston brussels budapest cairo chicago copenhagen delhi
    dublin hamburg istanbul jerusalem kyoto lisbon london madrid melbourne milan moscow munich naples osaka
    oslo paris prague rome seoul shanghai stockholm sydney tokyo toronto vancouver venice vienna warsaw
    washington
    """
)
