"""Semantic roles of a line as text for people."""

from collections.abc import Iterator

from pfsm.analysis.roles import Argument
from pfsm.analysis.sentence import Analysis


def role_lines(analysis: Analysis, number: int) -> Iterator[str]:
    """One line of text for every predicate: the line's number, the predicate, its arguments with their probabilities.

    Args:
        analysis: A line with roles.
        number: Its number.
    """
    for frame in analysis.frames or ():
        if not frame.is_likely:
            continue
        arguments = [_shown(analysis, one) for one in frame.arguments]
        yield "\t".join(
            [str(number), analysis.tokens[frame.predicate], frame.roleset or frame.lemma, *arguments]
        )


def _shown(analysis: Analysis, argument: Argument) -> str:
    parts = [" ".join(analysis.tokens[start:end]) for start, end in argument.spans]
    share = "" if argument.probability == 1.0 else f" ({argument.probability:.2f})"
    return f"{argument.label}: {' … '.join(parts)}{share}"
