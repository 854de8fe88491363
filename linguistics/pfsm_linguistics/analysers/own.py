"""Our parser and our labeller of roles, as an analyser."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.files import is_file
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.tokens import words_of
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.labeller.label import Labeller
from pfsm_linguistics.labeller.weights import SUFFIX as ROLES_SUFFIX
from pfsm_linguistics.labeller.weights import RoleWeights, read_role_weights
from pfsm_linguistics.parser.parse import Parser
from pfsm_linguistics.parser.weights import ParserWeights, read_weights


class OwnAnalyser:
    """Our parser with its own tokeniser.

    Args:
        weights: The weights, as `read_weights` returns them.
        roles: Weights of a labeller of semantic roles that reads this parser.
    """

    def __init__(self, weights: ParserWeights, roles: RoleWeights | None = None) -> None:
        self._parser = Parser(weights)
        self._weights, self._roles = weights, roles
        # Made when roles are first asked for, because most callers never do.
        self._labeller: Labeller | None = None
        self.label = weights.label
        self.roles_label = "" if roles is None else roles.label

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines."""
        return self.analyse_words([[word.form for word in words_of(line)] for line in lines], wanted)

    def analyse_words(self, lines: Sequence[Sequence[str]], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines that are already split into words."""
        if not wanted.roles or self._roles is None:
            return self._parser.parse(lines, wanted)
        trees = self._parser.parse(lines, replace(wanted, constituents=True))
        found = self.labelled(trees, given=False, nominal=wanted.nominal)
        return found if wanted.constituents else [replace(one, constituents=()) for one in found]

    def labelled(self, trees: Sequence[Analysis], *, given: bool, nominal: bool = False) -> list[Analysis]:
        """Lines that have tags and trees, with the labeller's roles; as they are without a labeller.

        Args:
            trees: The lines.
            given: Whether their trees are known to be right, as those of a treebank; those of a parser are not.
            nominal: Whether nouns are predicates, too.

        Raises:
            PfsmError: If they are to be, and the labeller does not know nominal predicates.
        """
        if self._roles is None:
            return list(trees)
        if self._labeller is None:
            self._labeller = Labeller(self._roles, self._weights)
        if nominal and self._roles.nominal is None:
            raise PfsmError(
                f"labeller {self.roles_label!r}: knows verbs alone, no nominal predicates; train it again"
            )
        return [self._labeller.labelled(one, given=given, nominal=nominal) for one in trees]


def analyser_of_file(path: Path) -> OwnAnalyser:
    """The parser of a file, with the labeller that stands beside it under the same name.

    Raises:
        PfsmError: If a file cannot be read, or the two do not belong together.
    """
    beside = path.with_suffix(ROLES_SUFFIX)
    roles = read_role_weights(beside) if is_file(beside) else None
    weights = read_weights(path)
    if roles is not None and not roles.reads(weights):
        raise PfsmError(f"{beside}: belongs to another parser than {path.name}; train it again")
    return OwnAnalyser(weights, roles)
