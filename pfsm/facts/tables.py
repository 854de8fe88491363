"""English months, days of the week and number words, in lower case and in order; all of pfsm takes them from here."""

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
"""0 to 19."""
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SMALL = {word: value for value, word in enumerate(UNITS)} | {
    word: 10 * tens for tens, word in enumerate(TENS, 2)
}
"""Numbers of one word below a hundred."""
SIZES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
ORDINALS = (*_ORDINALS, *(f"{unit}th" for unit in UNITS[len(_ORDINALS) + 1 :]))
"""1st to 19th."""
ORDINAL_TENS = tuple(f"{ten[:-1]}ieth" for ten in TENS)
"""20th to 90th."""
