"""Reading a YAML file that holds lines ``key: value``; what is wrong with one is said in one line."""

from typing import Any

import yaml

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines


class _TwiceError(Exception):
    """A key that a mapping has already.

    Args:
        key: The key.
        line: Where it is there again, counted from 1.
    """

    def __init__(self, key: object, line: int) -> None:
        super().__init__(key, line)
        self.key = key
        self.line = line


class _Loader(yaml.SafeLoader):
    """The safe loader, but for keys that stand twice: it would let the last one win."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """The node of a mapping as it is written: nothing is merged into it yet."""
        node = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            # By type too: 1 and '1' are two keys, and a quoted '<<' merges nothing.
            if (key.tag, key.value) in seen:
                raise _TwiceError(key.value, key.start_mark.line + 1)
            seen.add((key.tag, key.value))
        return node


def read_yaml_mapping(path: StrPath, known: tuple[str, ...]) -> dict[str, Any]:
    """The mapping that a YAML file holds; an empty file holds an empty one.

    Args:
        path: The file.
        known: Its keys, for the message where it is no mapping.

    Raises:
        PfsmError: If the file is missing, not YAML, has a key twice, or holds something else.
    """
    where = display_name(path)
    try:
        document = yaml.load("\n".join(read_lines(path, "a YAML file")), _Loader)
    except _TwiceError as error:
        raise PfsmError(
            f"{where}:{error.line}: the key {error.key!r} is there twice; leave one of them out"
        ) from None
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise PfsmError(f"{where}{line}: not valid YAML ({error.problem})") from None
    except yaml.YAMLError as error:
        raise PfsmError(f"{where}: not valid YAML ({' '.join(str(error).split())})") from None
    except (AttributeError, LookupError, RecursionError, ValueError):
        # What PyYAML lets through for the 45th of a month, `!!int x`, `!!bool x`, a thousand brackets.
        raise PfsmError(
            f"{where}: not valid YAML (a value is not of its type, or nested too deeply)"
        ) from None
    if document is None:
        document = {}
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise PfsmError(f"{where}: must hold lines `key: value`; keys are {', '.join(known)}")
    return document
