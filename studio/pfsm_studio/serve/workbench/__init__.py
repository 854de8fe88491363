"""The routes of the workbench, its page and its files, under a content security policy."""

from collections.abc import Mapping
from functools import partial
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from pfsm.encoder.heads import contents_of
from pfsm_studio.explanation import FRAME_SCRIPTS, asset
from pfsm_studio.serve.app import Handler, Service, json_response
from pfsm_studio.serve.limits import RequestError
from pfsm_studio.serve.model_pool import LoadedModel
from pfsm_studio.serve.workbench.laboratory import (
    Laboratory,
    LaboratoryRequest,
    SavedRequest,
    edited,
    model_document,
)

TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html"}
STYLE, EXPLANATION = "page.css", "explanation.js"
FILES = (
    STYLE, EXPLANATION,
    "workbench.css", "workbench.js", "client.js", "texts.js", "results.js", "laboratory.js", "models.js", "rows.js",
    "elements.js",
)  # fmt: skip
# The page's own files alone.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


class Workbench:
    """The page's calls."""

    def __init__(self) -> None:
        self._laboratory = Laboratory()

    @property
    def assets(self) -> frozenset[str]:
        """Paths that hold no secrets."""
        return frozenset(["/", *(f"/workbench/files/{name}" for name in FILES)])

    @property
    def routes(self) -> Mapping[str, Mapping[str, Handler]]:
        """Handlers by path and method."""
        return {
            "/": {"GET": _page},
            **{f"/workbench/files/{name}": {"GET": partial(_file, name)} for name in FILES},
            "/workbench/models/{id}": {"GET": _model},
            "/workbench/models/{id}/document": {"GET": _document},
            "/workbench/models/{id}/head": {"GET": _head},
            "/workbench/laboratory": {"POST": self._weights},
            "/workbench/saved": {"POST": _saved},
        }

    async def _weights(self, service: Service, request: Request) -> Response:
        asked = await service.asked(request, LaboratoryRequest)
        loaded = service.models.find(asked.model)
        return json_response(
            await service.in_time(partial(self._laboratory.answer, service.batcher, loaded, asked))
        )


def _part(request: Request) -> str:
    return request.url.path.split("/")[3]


async def _page(service: Service, request: Request) -> Response:  # noqa: ARG001
    return Response(
        resource("workbench.html"), headers={"content-security-policy": POLICY}, media_type="text/html"
    )


async def _file(name: str, service: Service, request: Request) -> Response:  # noqa: ARG001
    return Response(resource(name), media_type=TYPES[name.rpartition(".")[2]])


def _loaded(service: Service, request: Request) -> LoadedModel:
    try:
        return service.models.find(_part(request))
    except RequestError as error:
        raise RequestError(404, error.detail) from None


async def _model(service: Service, request: Request) -> Response:
    return json_response(model_document(_loaded(service, request)))


async def _document(service: Service, request: Request) -> Response:
    return json_response(_loaded(service, request).model.to_dict())


async def _head(service: Service, request: Request) -> Response:
    contents = contents_of(_loaded(service, request).model.settings.features)
    if len(contents) != 1:
        raise RequestError(404, "this model has no file beside its own")
    (content,) = contents.values()
    return Response(content, media_type="application/octet-stream")


async def _saved(service: Service, request: Request) -> Response:
    """The model with changed weights, as a document to be downloaded; nothing is kept here."""
    asked = await service.asked(request, SavedRequest)
    return json_response(edited(service.models.find(asked.model), asked.weights, asked.name).to_dict())


def resource(name: str) -> str:
    """A file of the page; style and explanations are those of the other pages."""
    if name == EXPLANATION:
        scripts = "\n".join(map(asset, FRAME_SCRIPTS[1:]))
        return f"export function explanation(data) {{\n{scripts}}}\n"
    if name == STYLE:
        return asset(name)
    return (files("pfsm_studio.serve.workbench") / name).read_text(encoding="utf-8")
