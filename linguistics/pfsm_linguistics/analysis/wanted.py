"""What is asked of an analyser."""

from dataclasses import dataclass, field, replace

# More trees of a line add little information, and take longer than the marginals over all trees.
MOST_TREES = 1000
# A tree's probability is summed over derivations that are listed. A shorter list of constituent trees is the head of
# one of this length, or else its first tree could be another.
SHORTEST_LIST = 50


@dataclass(frozen=True)
class Wanted:
    """What to compute.

    Attributes:
        trees: Number of dependency trees, the likeliest first; at least 1.
        marginals: Whether to give the probabilities of arcs.
        constituents: Whether to give constituent trees.
        one_sentence: Whether to treat every line as one sentence.
        gamma: Marginals are computed with tree probabilities proportional to the gamma-th power of the parser's:
            flatter below 1, uniform at 0. The n-best list and the labels of given arcs do not change.
        gaps: Whether a line that a file or a program does not analyse comes back as a failed parse, an analysis with
            words alone, rather than as an error.
        headed: Number of dependency trees by head rules (`pfsm_linguistics.analysis.heads`) over the likeliest
            constituent trees, the likeliest first; 0 for none.
        roles: Whether to give semantic roles.
        nominal: Whether nouns are predicates of semantic roles, too, where an analyser gives a choice.
    """

    trees: int = 1
    marginals: bool = False
    constituents: bool = False
    one_sentence: bool = False
    gamma: float = 1.0
    # Not in the representation, by which analyses are cached: it changes no analysis.
    gaps: bool = field(default=False, repr=False)
    headed: int = 0
    roles: bool = False
    nominal: bool = False

    def with_gaps(self) -> "Wanted":
        """The same with `gaps`."""
        return replace(self, gaps=True)
