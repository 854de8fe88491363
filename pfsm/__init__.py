"""pfsm: learned translation metrics from probabilistic finite-state machines over edits.

    import pfsm
    metric = pfsm.load()  # or the name of a model, or its file
    metric.score_pairs(["a translation"], ["its reference"])

The distribution is called ``pfsm-metric``. Training lives in ``pfsm_training`` (extra ``train``). Importing this
package starts neither torch nor numba.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pfsm.errors import PfsmError as PfsmError
    from pfsm.metrics.score import Score as Score
    from pfsm.model.file import Model as Model
    from pfsm.model.file import Scale as Scale
    from pfsm.model.file import load_model as load_model
    from pfsm.model.file import save_model as save_model
    from pfsm.model.metric import Metric as Metric
    from pfsm.model.settings import Settings as Settings
    from pfsm.model.shipped import load as load
    from pfsm.registering import register as register
    from pfsm.version import __version__ as __version__

_HOMES = {
    "PfsmError": "pfsm.errors",
    "Metric": "pfsm.model.metric",
    "Score": "pfsm.metrics.base",
    "Model": "pfsm.model.file",
    "Scale": "pfsm.model.file",
    "load_model": "pfsm.model.file",
    "save_model": "pfsm.model.file",
    "load": "pfsm.model.shipped",
    "Settings": "pfsm.model.settings",
    "register": "pfsm.registering",
    "__version__": "pfsm.version",
}

__all__ = [
    "Metric",
    "Model",
    "PfsmError",
    "Scale",
    "Score",
    "Settings",
    "__version__",
    "load",
    "load_model",
    "register",
    "save_model",
]


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that ``import pfsm`` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pfsm' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return __all__
