"""Whether outputs and references fit each other: known damage is found, good outputs are not doubted."""

import pytest

from pfsm.text.mismatch import mismatches
from tests.command_runs import Cli, Write, text

NOUNS = (
    *("baker", "river", "letter", "garden", "window", "market", "doctor"),
    *("winter", "bridge", "kitchen", "teacher", "village", "painter", "harbour"),
)
REFERENCES = [
    f"The {noun} was near the {NOUNS[(at * 5 + 3) % 14]} when we came from the {NOUNS[(at * 3 + 1) % 14]} on day {at} ."
    for at, noun in enumerate(NOUNS * 3)
]
GOOD = [line.replace(" was near", " stood by") for line in REFERENCES]
GERMAN = [f"Der alte Mann ging am Tag {at} mit seinem Hund zum großen Fluss ." for at in range(42)]
DAMAGED = {
    "another language": ([*GERMAN], REFERENCES),
    "empty": ([line if at % 10 else "" for at, line in enumerate(GOOD)], REFERENCES),
    "fit the references of the line after": ([*GOOD[1:], GOOD[0]], REFERENCES),
    "lines 21 to ": ([*GOOD[:20], *GOOD[21:], "It is over ."], REFERENCES),
    "equal to the reference": (REFERENCES, REFERENCES),
    "the same for different references": (
        [line if at % 5 else GOOD[0] for at, line in enumerate(GOOD)],
        REFERENCES,
    ),
    "decoded twice": ([line.replace("e ", "é ").encode().decode("latin-1") for line in GOOD], REFERENCES),
    "swapped": (GOOD, [line.replace("the ", "the the ").removesuffix(" .") for line in REFERENCES]),
    "or script": (["我们昨天在河边看到了一位老面包师傅"] * 42, REFERENCES),
}


def test_good_outputs_are_not_doubted() -> None:
    assert mismatches({"a": GOOD}, [REFERENCES], GERMAN) == []
    assert mismatches({"a": GOOD[:1]}, [REFERENCES[:1]]) == []


@pytest.mark.parametrize("said", DAMAGED)
def test_damage_is_found_with_its_lines(said: str) -> None:
    lines, references = DAMAGED[said]
    assert said in " ".join(mismatches({"a": lines}, [references]))


def test_source() -> None:
    copied = [*GERMAN[:8], *GOOD[8:]]
    assert "a: 8 of 42 lines (line 1, 2, 3, 4, 5, …) equal to the source" in mismatches(
        {"a": copied}, [REFERENCES], GERMAN
    )


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_warn_or_refuse(cli: Cli, write: Write, command: str) -> None:
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("german", GERMAN)):
        write(name, text(lines))
    asked = command, "ref", "-i", "good", "german", "--metric", "chrf"
    warned = cli(*asked)
    assert warned.status == 0
    assert "pfsm: warning: german: 42 of 42 lines (line 1, 2" in warned.err
    assert "good:" not in warned.err
    refused = cli(*asked, "--strict")
    assert (refused.status, refused.out) == (2, "")
    assert cli(*asked, "--quiet").err == ""
