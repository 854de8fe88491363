"""Names of features that are learned over an encoder: ``encoder(head=LABEL,source=SOURCE)``."""

import re
from collections.abc import Iterable

from pfsm.errors import PfsmError

FEATURE = "encoder"
LABEL_DIGITS = 16
_NAME = re.compile(
    rf"{FEATURE}\(head=(?P<label>[0-9a-f]{{{LABEL_DIGITS}}}),source=(?P<source>.+)\)", re.DOTALL
)


def parse_feature(name: str) -> tuple[str, str]:
    """The label and the source in the name of a feature.

    Raises:
        PfsmError: If the name is not of this form.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise PfsmError(
            f"feature {name!r} is learned over an encoder; write `encoder: {{tune: head}}` in the configuration "
            "of a training"
        )
    return match["label"], match["source"]


def is_encoder_feature(name: str) -> bool:
    """Whether the name is that of the feature, whatever stands in its parentheses."""
    return name.partition("(")[0] == FEATURE


def feature_name(label: str, source: str) -> str:
    """The inverse of `parse_feature`."""
    return f"{FEATURE}(head={label},source={source})"


def labels_in(names: Iterable[str]) -> list[str]:
    """The labels of the heads that features refer to."""
    return [parse_feature(name)[0] for name in names if is_encoder_feature(name)]
