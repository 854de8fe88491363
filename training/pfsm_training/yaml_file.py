"""Reading a YAML file that holds lines ``key: value``; what is wrong with one is said in one line."""

from typing import Any

import yaml

from pfsm.errors import PfsmError
from pfsm.files import StrPath, display_name, read_lines


def read_yaml_mapping(path: StrPath, known: tuple[str, ...]) -> dict[str, Any]:
    """The mapping that a YAML file holds; an empty file holds an empty one.

    Args:
        path: The file.
        known: Its keys, for the message where it is no mapping.

    Raises:
        PfsmError: If the file is missing, not YAML, or holds something else.
    """
    where = display_name(path)
    try:
        document = yaml.safe_load("\n".join(read_lines(path)))
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
