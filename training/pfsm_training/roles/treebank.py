"""Reads PropBank's roles beside the treebank over whose words they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pfsm.analysis.conllu import analysis_of
from pfsm.analysis.role_files import read_propbank
from pfsm.analysis.roles import CONTINUATION, Frame, Span
from pfsm.analysis.sentence import Analysis
from pfsm.io.files import StrPath, display_name, read_lines
from pfsm_training.parsing.treebank import Example

_IDENTIFIER = "sent_id"


@dataclass(frozen=True)
class RoleExample:
    """A sentence of the treebank with roles.

    Attributes:
        place: Its place among the examples of the treebank.
        example: The sentence.
        gold: Its gold tags, trees and roles.
    """

    place: int
    example: Example
    gold: Analysis


def read_roles(path: StrPath, examples: Sequence[Example]) -> list[RoleExample]:
    """The sentences of the treebank that have roles; sentences with other words are left out.

    Raises:
        PfsmError: If the file cannot be read or does not follow its format.
    """
    lines = read_lines(path)
    names = [
        line.partition("=")[2].strip() for line in lines if line.startswith("#") and _key(line) == _IDENTIFIER
    ]
    by_name = dict(zip(names, read_propbank(lines, display_name(path)), strict=True))
    found = []
    for place, example in enumerate(examples):
        roles = by_name.get(example.dependencies.comment(_IDENTIFIER) or "")
        if roles is None or roles.tokens != example.dependencies.forms:
            continue
        trees = () if example.constituents is None else (example.constituents,)
        gold = replace(analysis_of(example.dependencies), constituents=trees, frames=roles.frames)
        found.append(RoleExample(place, example, gold))
    return found


def _key(line: str) -> str:
    return line[1:].partition("=")[0].strip()


def labelled_spans_of(frame: Frame) -> dict[Span, str]:
    """Label of every span of a frame; parts of an argument after the first are continuations."""
    return {
        span: argument.label if k == 0 else CONTINUATION + argument.label
        for argument in frame.arguments
        for k, span in enumerate(argument.spans)
    }
