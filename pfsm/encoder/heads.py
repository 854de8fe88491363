"""Heads that this process knows, by label, and the files that hold them beside the models that name them.

A label is the first 16 digits of the SHA-256 of a head's file. The file lies in the folder of the model's file and is
called ``encoder-LABEL.safetensors``. So no name in a model can lead out of its folder.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pfsm.encoder.head import Head, head_from_bytes
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, atomic_write, display_name, is_stream, read_bytes
from pfsm.io.limits import HEAD, check_size

FEATURE = "encoder"
_SHIPPED = Path(__file__).resolve().parent.parent / "resources" / "models"
LABEL_DIGITS = 16
_NAME = re.compile(
    rf"{FEATURE}\(head=(?P<label>[0-9a-f]{{{LABEL_DIGITS}}}),source=(?P<source>.+)\)", re.DOTALL
)

_known: dict[str, Head] = {}


def label_of(head: Head) -> str:
    """The label of a head."""
    return head.checksum[:LABEL_DIGITS]


def remember(head: Head) -> str:
    """Makes a head known to this process, so that names can refer to it; returns its label."""
    return label_of(_known.setdefault(label_of(head), head))


def known_head(label: str, where: str) -> Head:
    """The head with a label.

    Raises:
        PfsmError: If this process does not know it.
    """
    if label not in _known:
        raise PfsmError(f"{where}: there is no head {label}; it is stored beside the model that names it")
    return _known[label]


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


def head_path(folder: StrPath, label: str) -> Path:
    """Where a head lies in the folder of a model."""
    return Path(folder) / f"encoder-{label}.safetensors"


def read_heads(names: Iterable[str], folder: StrPath, where: str, *, needed: bool = True) -> None:
    """Makes the heads known that features refer to, from the folder of their model.

    Args:
        names: Names of features.
        folder: The folder.
        where: Name of the model's file in errors.
        needed: Whether a file may not be missing.

    Raises:
        PfsmError: If a file is missing that is needed, too large, has another checksum, or is no head.
    """
    # Also where the head is known: a file that is missing or damaged must not depend on what this process did before.
    for label in labels_in(names):
        path = head_path(folder, label)
        if not path.is_file() and not needed:
            continue
        if not path.is_file():
            raise PfsmError(
                f"{where}: needs {path.name} in the same folder, which is not there; copy it with the model"
            )
        check_size(path.stat().st_size, display_name(path), HEAD)
        remember_content(label, read_bytes(path), display_name(path))


def remember_content(label: str, content: bytes, where: str) -> None:
    """Makes the head known that a file's content holds.

    Raises:
        PfsmError: If it has another checksum, or is no head.
    """
    found = hashlib.sha256(content).hexdigest()[:LABEL_DIGITS]
    if found != label:
        raise PfsmError(f"{where}: has checksum {found}, the model needs {label}; copy the file again")
    if label not in _known:
        _known[label] = head_from_bytes(content, where)


def write_heads(names: Iterable[str], model: StrPath) -> None:
    """Writes the heads that features refer to beside a model's file; a file that is there already is left alone.

    Raises:
        PfsmError: If this process does not know a head, or the file cannot be written.
    """
    labels = labels_in(names)
    if labels and is_stream(model):
        raise PfsmError(
            f"{display_name(model)}: the model needs a second file beside it; give the name of a file"
        )
    folder = Path(model).resolve().parent
    for label in labels:
        content, path = known_head(label, "the model").content, head_path(folder, label)
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            continue
        with atomic_write(path) as handle:
            handle.buffer.write(content)


def ships(label: str) -> bool:
    """Whether the head came with this installation, so that other processes need not be sent it."""
    return head_path(_SHIPPED, label).is_file()


def remember_shipped(names: Iterable[str]) -> None:
    """Makes the heads known that features refer to and that came with this installation.

    Raises:
        PfsmError: As `read_heads`, if a file is damaged.
    """
    read_heads(names, _SHIPPED, "the model", needed=False)


def contents_of(names: Iterable[str]) -> dict[str, bytes]:
    """The files of the heads that features refer to and this process knows, by label."""
    return {label: _known[label].content for label in labels_in(names) if label in _known}


def remember_contents(contents: Mapping[str, bytes]) -> None:
    """The inverse of `contents_of`, in another process.

    Raises:
        PfsmError: As `remember_content`.
    """
    for label, content in contents.items():
        remember_content(label, content, f"head {label}")
