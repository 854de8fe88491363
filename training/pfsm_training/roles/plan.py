"""How the labeller of semantic roles is trained."""

from dataclasses import dataclass, field

from pfsm_training.roles.network import RoleSizes


@dataclass(frozen=True)
class RolePlan:
    """How to train a labeller.

    Attributes:
        passes: Passes through the training sentences.
        words: Approximate number of words in a batch.
        features: Number of features that are kept, those most often in arguments of verbs.
        features_of_nouns: Number of further ones, those most often in arguments of nouns.
        rate: Adam's rate while it is constant.
        constant: Share of the steps before the rate falls linearly to 0.
        averaging: Share of the old average kept at each step.
        gold: Share of sentences that a pass reads with their gold tree instead of a parser's.
        least: A label is known if so many spans have it.
        least_noun: A feature of nouns is learned if so many nouns have it.
        noun_features: Number of features of nouns that are kept, those with the largest weights.
        nouns: Weight of the loss of a noun, of being a predicate or not, beside that of a predicate.
        teachers: Number of networks whose average the last one learns from.
        features_of_teachers: Number of further features that teachers have, those most often in arguments of verbs.
        passes_after: Passes of the network that learns from them.
        soft_targets: Weight of what the teachers say of a sentence, beside its gold standard.
        teacher_temperature: Scores of the teachers are divided by it.
        unlabelled: Share of the sentences without gold standard that a pass reads.
        seed: Seed of all random numbers; teachers have the next ones.
        sizes: Sizes of the network.
    """

    passes: int = 11
    words: int = 800
    features: int = 40_000
    features_of_nouns: int = 3_000
    rate: float = 2e-3
    constant: float = 0.4
    averaging: float = 0.995
    gold: float = 0.4
    least: int = 15
    least_noun: int = 4
    noun_features: int = 40_000
    nouns: float = 0.5
    teachers: int = 2
    features_of_teachers: int = 55_000
    passes_after: int = 11
    soft_targets: float = 0.5
    teacher_temperature: float = 1.3
    unlabelled: float = 0.5
    seed: int = 1
    sizes: RoleSizes = field(default_factory=RoleSizes)
