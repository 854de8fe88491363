"""``pfsm serve``: an HTTP service and a workbench in the browser."""

import ipaddress
import os
import re
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.commands.options import declare
from pfsm.commands.output import tell
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.evaluation import default_seed
from pfsm.io.files import read_lines
from pfsm.model.shipped import DEFAULT_MODEL, find_model, load_model, shipped_models
from pfsm.runtime.threads import default_threads

if TYPE_CHECKING:
    from pfsm_studio.serve.limits import Limits
    from pfsm_studio.serve.model_pool import LoadedModel

TOKEN_VARIABLE = "PFSM_SERVE_TOKEN"
SHORTEST_TOKEN = 16
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,252})")
_PACKAGES = ("starlette", "uvicorn", "prometheus_client")


OPTIONS = f"""
--host ADDRESS [127.0.0.1]  address to listen on (default: 127.0.0.1)
--port N [8765]  port (default: 8765; 0: a free one)
--model, -m NAME=FILE...  also offer a model file under a name; may be repeated; the first one is the default of
  requests; NAME alone of a shipped model makes that the default
@resource
--token-file FILE  its first line is the token that clients have to send, {SHORTEST_TOKEN} characters at least; or set
  {TOKEN_VARIABLE}; needed for any address but this machine's own
--allow-host NAME...  a name that the server goes by in the header Host, as behind a proxy; may be repeated
"""
BOUNDS = """
--max-body MB  megabytes of a body (default: 16)
--max-pairs N  pairs of a request (default: 10,000)
--max-stream-pairs N  pairs of a stream (default: 1,000,000)
--max-line N  characters of a segment (default: 4,000)
--timeout S  seconds for an answer (default: 60)
--read-timeout S  seconds for a head, and for a body (default: 20)
"""
# The bound that each of these options is.
_LIMITS = {
    "max_body": "body",
    "max_pairs": "pairs",
    "max_stream_pairs": "streamed",
    "max_line": "line",
    "timeout": "patience",
    "read_timeout": "reading",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS, port=int)
    declare(parser.add_argument_group("bounds"), BOUNDS)
    declare(parser, "@threads\n@device")


def run(options: Namespace) -> None:
    """Checks, opens models, serves."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise NotInstalledError("pfsm serve needs Starlette and uvicorn", missing, extras=["serve"])
    from pfsm_studio.serve.app import Service  # noqa: PLC0415
    from pfsm_studio.serve.guard import Guard  # noqa: PLC0415 - needs the extra
    from pfsm_studio.serve.model_pool import ModelPool  # noqa: PLC0415
    from pfsm_studio.serve.server import bound, serve  # noqa: PLC0415

    default_seed()  # an error in PFSM_SEED is said here, not to clients
    token = _token(options)
    own = _is_own(options.host)
    if not own and token is None:
        raise PfsmError(
            f"--host {options.host}: others can reach this address, so clients need a token; give --token-file FILE or "
            f"set {TOKEN_VARIABLE}"
        )
    names = [_host_name(name) for name in options.allow_host]
    models = ModelPool(_loaded_models(options))
    models.find("").metric  # noqa: B018 - made ready before the server says that it is
    listener = bound("127.0.0.1" if options.host == "localhost" else options.host, options.port)
    port = listener.getsockname()[1]
    guard = Guard(port, names, token, anywhere=not own)
    service = Service(models, guard, _limits(options), options.threads or default_threads())
    shown = f"[{options.host}]" if ":" in options.host else options.host
    tell(f"serving on http://{shown}:{port}; Ctrl-C ends")
    serve(listener, service)


def _token(options: Namespace) -> str | None:
    if options.token_file is not None:
        first = next(iter(read_lines(options.token_file)), "")
        token, where = first.strip(), options.token_file
    elif TOKEN_VARIABLE in os.environ:
        token, where = os.environ[TOKEN_VARIABLE].strip(), TOKEN_VARIABLE
    else:
        return None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise PfsmError(
            f"{where}: the token must be {SHORTEST_TOKEN} or more letters, digits and signs of ASCII, without spaces"
        )
    return token


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise PfsmError(f"--host {host}: an address is needed, such as 127.0.0.1, ::1 or 0.0.0.0") from None


def _host_name(name: str) -> str:
    if _HOST.fullmatch(name.lower()) is None:
        raise PfsmError(f"--allow-host {name}: a name without port is needed, such as pfsm.example.org")
    return name.lower()


def _limits(options: Namespace) -> "Limits":
    from pfsm_studio.serve.limits import MEGABYTE, Limits  # noqa: PLC0415

    given = {limit: getattr(options, option) for option, limit in _LIMITS.items()}
    if given["body"] is not None:
        given["body"] *= MEGABYTE
    return Limits(**{name: value for name, value in given.items() if value is not None})


def _loaded_models(options: Namespace) -> "list[LoadedModel]":
    """The models of the server, the default one first."""
    from pfsm_studio.serve.model_pool import NAME, LoadedModel  # noqa: PLC0415

    shipped = {one.name: one for one in shipped_models()}
    first: list[LoadedModel] = []
    for given in options.model:
        name, equals, path = given.partition("=")
        if not equals and name in shipped:
            first.append(LoadedModel(name, find_model(name), "shipped"))
            continue
        if not equals or NAME.fullmatch(name) is None or not path:
            raise PfsmError(
                f"--model {given}: NAME=FILE is needed, with letters, digits, '.', '_' and '-' in the name"
            )
        if name in shipped or any(loaded.name == name for loaded in first):
            raise PfsmError(f"--model {given}: there is a model {name} already; give another name")
        first.append(LoadedModel(name, load_model(Path(path)), "given"))
    names = {loaded.name for loaded in first}
    rest = sorted((name for name in shipped if name not in names), key=lambda name: name != DEFAULT_MODEL)
    return [*first, *(LoadedModel(name, find_model(name), "shipped") for name in rest)]
