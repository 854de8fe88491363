"""Where the keys of YAML files belong, for messages about a key in the wrong place."""

from collections.abc import Iterable, Sequence

from pfsm.runtime.near_names import known_names

SETTINGS = (
    *("language", "tokeniser", "stemmer", "lowercase", "matchers", "matching", "max_block", "max_jump"),
    *("options", "split", "classes", "features", "counts", "edits", "references", "normalisation"),
    *("text", "form"),
)
TRAINING = (
    "lambda",
    "lambda_rule",
    "solver",
    "start",
    "objective",
    "mixture",
    "class_transitions",
    "edit_cost",
    "self_match",
    "encoder",
    "minimal_pairs",
    "weights",
)
# Switches to what the paper does otherwise.
SWITCHES = ("standardise", "prune_jumps")
EXPERIMENT = (
    *("title", "description", "scheme", "by", "folds", "sizes", "repeats", "form"),
    *("train", "test", "rows", "group_by", "statistics", "versus", "contrasts", "seed", "resamples"),
    "resample",
    "pictures",
)
DATA = ("files", "name", "score_column", "negate", "where", "sample", "seed", "system_scores", "pool")
ROW = ("name", "metric", "options", "model", "train", "init", "train_data", "optional", "not_on")
WEIGHTS = ("column", "rater_noise")
ENCODER = ("tune", "source", "layers", "precision", "minimal_pairs")
MINIMAL_PAIRS = (
    *("kinds", "except", "of", "top", "number", "seed", "crossed", "file", "weight", "scale", "margins"),
)
OPTIONS = {
    "morph": ("table",),
    "syn": ("table",),
    "para": ("table", "direction", "minimum_probability", "bins"),
    "emb": ("source", "layer", "minimum", "nearest", "bins"),
    "char": ("minimum", "shortest", "bins"),
    "num": ("words",),
}
# Options of `pfsm train` that people write into its configuration.
COMMAND_LINE = (
    "output",
    "config",
    "score_column",
    "init",
    "dev",
    "name",
    "licence",
    "threads",
    "tau",
    "scheduler",
)

PLACES = {
    "at the top of a settings file (`pfsm train --config`), or under `train:` in a row of an experiment": (
        *SETTINGS,
        *TRAINING,
        *SWITCHES,
    ),
    "at the top of an experiment's file": EXPERIMENT,
    "in a row of an experiment, under `rows:`": ROW,
    "in a data set of an experiment, under `train:` or `test:`": DATA,
    **{f"under `options: {{{name}: …}}`": keys for name, keys in OPTIONS.items()},
    "under `encoder:` of a training": ENCODER,
    "under `minimal_pairs:` of a training": MINIMAL_PAIRS,
    "under `weights:` of a training": WEIGHTS,
    "on the command line of `pfsm train`, as an option --KEY": COMMAND_LINE,
}


def elsewhere(key: object, here: Iterable[str]) -> str:
    """``it belongs PLACE`` for a key that other places know; empty for one that none knows.

    Args:
        key: The key.
        here: The keys that this place knows.
    """
    known = set(here)
    option = f"--{str(key).replace('_', '-')}"
    places = [
        place.replace("--KEY", option)
        for place, keys in PLACES.items()
        if key in keys and key not in known and not set(keys) <= known
    ]
    return f"it belongs {', or '.join(places)}" if places else ""


def unknown_key(key: object, known: Sequence[str], listing: str) -> str:
    """What to say about an unknown key: where it would belong, else what `known_names` says.

    Args:
        key: The key.
        known: The keys that this place knows.
        listing: Where to find the full list.
    """
    return elsewhere(key, known) or known_names(key, known, listing)
