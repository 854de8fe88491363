"""What messages say about an unknown name: the known ones, and where a key of a YAML file belongs."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

# Characters: what fits on a line with the rest of the message.
_FEW = 110
_MOST = 3
# Similarity by difflib's measure, 0 to 1.
_ALIKE = 0.7


def known_names(name: object, known: Sequence[str], listing: str) -> str:
    """All known names if they are few; else the most similar ones and where to find the full list.

    Args:
        name: The unknown name, not necessarily text; options in parentheses after it are ignored.
        known: The known names, in the order in which to list them.
        listing: Where to find the full list: a command or a page of the documentation.
    """
    everything = ", ".join(known)
    if len(everything) <= _FEW:
        return f"known are {everything}"
    # Names of metrics are often written in capitals.
    by_letters = {one.casefold(): one for one in known}
    wanted = str(name).partition("(")[0].strip().casefold()
    near = [by_letters[one] for one in get_close_matches(wanted, by_letters, _MOST, _ALIKE)]
    meant = f"did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}? " if near else ""
    return f"{meant}{listing} lists all"


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
