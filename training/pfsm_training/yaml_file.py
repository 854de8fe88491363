"""Reads a YAML file of lines ``key: value``; an error names the file, the line and what is wrong."""

import math
from typing import Any

import yaml

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines
from pfsm.io.limits import SETTINGS, check_size


class _RefusedError(Exception):
    """What is wrong with a document that YAML allows; it begins with the place in the file, such as ``:3: ``."""


class _TooLargeError(Exception):
    """With its aliases written out, the document is too large."""


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys, of which PyYAML's own keeps the last, and aliases that explode."""

    def get_single_node(self) -> yaml.Node | None:
        """The root, whose aliases are no longer than a document may be without."""
        node: yaml.Node | None = super().get_single_node()
        size = 0.0 if node is None else _written_out(node, {})
        if math.isinf(size):
            raise _RefusedError(": an alias (*NAME) stands within what it names (&NAME); write it out")
        if size > SETTINGS.value:
            raise _TooLargeError
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """The node of a mapping as written, before merge keys are expanded."""
        node = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            # The tag counts too: 1 and '1' are two keys, and a quoted '<<' merges nothing.
            if (key.tag, key.value) in seen:
                line = key.start_mark.line + 1
                raise _RefusedError(f":{line}: duplicate key {key.value!r}; leave one of them out")
            seen.add((key.tag, key.value))
        return node


def _number(kind: str) -> Any:
    """Makes numbers as PyYAML does, but for those of base 60: 1:30 is text, as in YAML 1.2."""
    usual = yaml.SafeLoader.yaml_constructors[f"tag:yaml.org,2002:{kind}"]

    def made(loader: _Loader, node: yaml.ScalarNode) -> Any:
        return node.value if ":" in node.value else usual(loader, node)

    return made


for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _number(_kind))


def _written_out(node: yaml.Node, known: dict[int, float]) -> float:
    """Characters of a node, about, with every alias in it written out; infinity if it contains itself."""
    if id(node) not in known:
        known[id(node)] = math.inf  # until its end is reached
        parts: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            parts = [part for entry in node.value for part in entry]
        elif isinstance(node, yaml.SequenceNode):
            parts = node.value
        own = len(node.value) if isinstance(node, yaml.ScalarNode) else 0
        known[id(node)] = 1 + own + sum(_written_out(part, known) for part in parts)
    return known[id(node)]


def read_yaml_mapping(path: StrPath, known: tuple[str, ...]) -> dict[str, Any]:
    """The mapping in a YAML file; an empty file gives an empty mapping.

    Args:
        path: The file.
        known: The keys that it may have, for the message if it is not a mapping.

    Raises:
        PfsmError: If the file is missing, is not YAML, has a key twice, or is not a mapping.
    """
    where = display_name(path)
    text = "\n".join(read_lines(path, "a YAML file"))
    check_size(len(text), where, SETTINGS)
    try:
        document = yaml.load(text, _Loader)
    except _TooLargeError:
        raise SETTINGS.exceeded(where) from None
    except _RefusedError as error:
        raise PfsmError(f"{where}{error}") from None
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise PfsmError(f"{where}{line}: not valid YAML ({error.problem})") from None
    except yaml.YAMLError as error:
        raise PfsmError(f"{where}: not valid YAML ({' '.join(str(error).split())})") from None
    except (AttributeError, LookupError, RecursionError, ValueError):
        # PyYAML raises these for the 45th of a month, `!!int x`, `!!bool x` and a thousand brackets.
        raise PfsmError(
            f"{where}: not valid YAML (a value does not fit its type, or is nested too deeply)"
        ) from None
    if document is None:
        document = {}
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise PfsmError(f"{where}: must hold lines `key: value`; keys are {', '.join(known)}")
    return document
