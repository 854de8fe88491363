"""Encoders that are distributions of their own, and the models that come with them."""

from importlib.util import find_spec
from pathlib import Path

# By the name of an encoder, what pip installs in the checkout; its module is pfsm_encoder_NAME.
DISTRIBUTIONS = {"large": "./encoders/large"}
# By model, the encoder whose distribution it comes with.
MODELS = {"en-large": "large"}
_TOKENIZER = "tokenizer.json"


def folder_beside(name: str) -> Path | None:
    """The folder of such an encoder; None if it is not installed."""
    return folder_of(f"pfsm_encoder_{name}")


def folder_of(module: str) -> Path | None:
    """The folder with a tokenizer: that of an installed module, or one inside it. None if there is none."""
    spec = find_spec(module)
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        if Path(place).resolve().parent == Path.cwd():  # a folder that came with the data is not a package
            continue
        found = sorted(Path(place).rglob(_TOKENIZER), key=lambda path: (len(path.parts), path))
        if found:
            return found[0].parent
    return None
