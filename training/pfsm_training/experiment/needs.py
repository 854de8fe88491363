"""What a row of a table needs besides the package: tables, vectors, other packages."""

from pfsm.builder import LatticeBuilder
from pfsm.errors import PfsmError
from pfsm.metrics import get_metric
from pfsm.metrics.features import feature_signature
from pfsm.settings import Settings
from pfsm_training.config import config_from_dict
from pfsm_training.experiment.config import RowSpec


def resources_of(settings: Settings) -> list[str]:
    """Lexicons and the like, with their checksums: they may lie outside the package.

    Raises:
        PfsmError: If one is not there.
    """
    return [*LatticeBuilder(settings).resources, *map(feature_signature, settings.features)]


def settings_of(row: RowSpec) -> Settings | None:
    """The settings of a row's model; None for a metric."""
    model = row.model or row.init
    if model is not None:
        return model.settings
    return None if row.training is None else config_from_dict(row.training, row.name).settings


def missing(row: RowSpec) -> str:
    """What a row needs and does not find, and how to get it, in one line; empty where all is there."""
    settings = settings_of(row)
    try:
        if settings is not None:
            resources_of(settings)
        elif row.metric is not None:
            _ = get_metric(row.metric, **row.options).signature
    except PfsmError as error:
        return str(error)
    return ""
