"""Commands that need an analysis."""

from pfsm.commands import Command

PARSE = Command(
    "tag and parse text, or evaluate a parser",
    "language and machine",
    "pfsm_linguistics.commands.parse",
    "warmup",
)
