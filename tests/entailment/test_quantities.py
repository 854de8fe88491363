"""Numbers and dates by their values, by hand."""

from pfsm.english.entailment.sides import Date, dates, numbers

NUMBERS: list[tuple[str, list[float]]] = [
    ("no numbers here", []), ("25 men and 3 boys", [25, 3]), ("twenty - five", [25]), ("five twenty", [5, 20]),
    ("two three", [2, 3]), ("one of them", []), ("2.5 million", [2_500_000]), ("2,500,000", [2_500_000]),
    ("two and a half", [2]), ("one million two hundred thousand six", [1_200_006]), ("six and seven", [6, 7]),
    ("the thirtieth and the 4th", [30, 4]), ("50 %", [50]), ("0.5", [0.5]),
    ("5 million or 3 billion", [5_000_000, 3_000_000_000]), ("10 20", [10, 20]), ("a G8 summit", []),
    ("1,234.5", [1234.5]),
]  # fmt: skip


def test_numbers() -> None:
    for text, values in NUMBERS:
        assert numbers(text.split()) == values, text


def test_places_that_are_left_out_part_numbers() -> None:
    assert numbers(["twenty", "may", "five"], {1}) == [20, 5]
    assert numbers(["twenty", "five"], {1}) == [20]


DATES = [
    ("", []), ("on 5 March 2010 .", [Date(2010, 3, 5)]), ("on March 5th , 2010 .", [Date(2010, 3, 5)]),
    ("the 5th of March", [Date(month=3, day=5)]), ("in March 2010", [Date(2010, 3)]), ("2010 soldiers", [Date(2010)]),
    ("on Sunday , Dec. 24", [Date(weekday=6), Date(month=12, day=24)]), ("05/06/2011", [Date(2011)]),
    ("25/12/2011 or 12/25/2011", [Date(2011, 12, 25), Date(2011, 12, 25)]), ("they may march", []),
    ("March on !", []), ("until May", [Date(month=5)]), ("from 3 to 5 June 1999", [Date(1999, 6, 5)]),
    ("between 1 May and 2 June", [Date(month=5, day=1), Date(month=6, day=2)]), ("35 March", []),
]  # fmt: skip


def test_dates() -> None:
    for text, found in DATES:
        assert [one.date for one in dates(text.split())] == found, text


def test_no_token_belongs_to_two_dates() -> None:
    found = dates(["on", "5", "March", "2010", ",", "6", "May", "2011", "and", "Monday", "7", "June", "2012"])
    places = [place for one in found for place in one.places]
    assert len(places) == len(set(places))
    assert [one.date for one in found] == [
        Date(2010, 3, 5),
        Date(2011, 5, 6),
        Date(weekday=0),
        Date(2012, 6, 7),
    ]


def test_agreement_of_dates() -> None:
    assert Date(2010, 3, 5).agrees(Date(2010))
    assert Date(month=3).agrees(Date(2010, 3, 5))
    assert not Date(2010, 3).agrees(Date(2010, 4))
    assert not Date(2010).agrees(Date(weekday=1))
