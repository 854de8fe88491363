"""``pfsm serve``: an HTTP service and a workbench in the browser."""

import ipaddress
import os
import re
import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pfsm.commands.arguments import add_resources, add_threads, positive
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.evaluation import default_seed
from pfsm.io.files import read_lines
from pfsm.model.shipped import DEFAULT_MODEL, find_model, load_model, shipped_models
from pfsm.runtime.threads import default_threads

if TYPE_CHECKING:
    from pfsm.serve.limits import Limits
    from pfsm.serve.model_pool import LoadedModel

TOKEN_VARIABLE = "PFSM_SERVE_TOKEN"
SHORTEST_TOKEN = 16
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,252})")
_PACKAGES = ("starlette", "uvicorn", "prometheus_client")


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, default=8765, metavar="N", help="port (default: 8765; 0: a free one)"
    )
    parser.add_argument(
        "--model", "-m", action="append", default=[], metavar="NAME=FILE",
        help="also offer a model file under a name; may be repeated; the first one is the "
        "default of requests; NAME alone of a shipped model makes that the default",
    )  # fmt: skip
    add_resources(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"its first line is the token that clients have to send, {SHORTEST_TOKEN} characters at least; or set "
        f"{TOKEN_VARIABLE}; needed for any address but this machine's own",
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="a name that the server goes by in the header Host, as behind a proxy; may be repeated",
    )  # fmt: skip
    bounds = parser.add_argument_group("bounds")
    bounds.add_argument("--max-body", type=positive, metavar="MB", help="megabytes of a body (default: 16)")
    bounds.add_argument(
        "--max-pairs", type=positive, metavar="N", help="pairs of a request (default: 10,000)"
    )
    bounds.add_argument(
        "--max-stream-pairs", type=positive, metavar="N", help="pairs of a stream (default: 1,000,000)"
    )
    bounds.add_argument(
        "--max-line", type=positive, metavar="N", help="characters of a segment (default: 4,000)"
    )
    bounds.add_argument("--timeout", type=positive, metavar="S", help="seconds for an answer (default: 60)")
    bounds.add_argument(
        "--read-timeout", type=positive, metavar="S", help="seconds for a head, and for a body (default: 20)"
    )
    bounds.add_argument(
        "--training-timeout", type=positive, metavar="S", help="seconds of a training (default: 3600)"
    )
    bounds.add_argument(
        "--training-memory", type=positive, metavar="MB",
        help="megabytes of memory of a training (default: 4096)",
    )  # fmt: skip
    add_threads(parser)


def run(options: Namespace) -> None:
    """Checks, opens models, serves."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise NotInstalledError("pfsm serve needs Starlette and uvicorn", missing, extras=["serve"])
    from pfsm.serve.app import Service  # noqa: PLC0415
    from pfsm.serve.guard import Guard  # noqa: PLC0415 - needs the extra
    from pfsm.serve.model_pool import ModelPool  # noqa: PLC0415
    from pfsm.serve.server import bound, serve  # noqa: PLC0415

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
    print(f"pfsm: serving on http://{shown}:{port}; Ctrl-C ends", file=sys.stderr, flush=True)
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
    from pfsm.serve.limits import MEGABYTE, Limits  # noqa: PLC0415

    given = {
        "body": None if options.max_body is None else options.max_body * MEGABYTE,
        "pairs": options.max_pairs,
        "streamed": options.max_stream_pairs,
        "line": options.max_line,
        "patience": options.timeout,
        "reading": options.read_timeout,
        "training": options.training_timeout,
        "memory": None if options.training_memory is None else options.training_memory * MEGABYTE,
    }
    return Limits(**{name: value for name, value in given.items() if value is not None})


def _loaded_models(options: Namespace) -> "list[LoadedModel]":
    """The models of the server, the default one first."""
    from pfsm.serve.model_pool import NAME, LoadedModel  # noqa: PLC0415

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
    order = sorted(shipped.values(), key=lambda one: one.name != DEFAULT_MODEL)
    return [
        *first,
        *(LoadedModel(one.name, find_model(one.name), "shipped") for one in order if one.name not in names),
    ]
