"""The routes of the workbench. They serve its page, and may change with it."""

from collections.abc import Mapping
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from pfsm.encoder.heads import contents_of
from pfsm.serve import answers
from pfsm.serve.fields import Fields, shown
from pfsm.serve.problems import RequestError, invalid
from pfsm.serve.routes import Handler
from pfsm.serve.service import Service, json_response
from pfsm.serve.shelf import NAME, Book
from pfsm.serve.workbench.laboratory import Laboratory, edited, laboratory_request, model_document, weights_of
from pfsm.serve.workbench.page import FILES, TYPES, page_html, policy, resource
from pfsm.serve.workbench.trainings import REPORT, Trainings, training_request

_MOST_HEADS = 1


class Workbench:
    """The page's calls.

    Args:
        service: What the routes share.
    """

    def __init__(self, service: Service) -> None:
        self._laboratory = Laboratory()
        self.trainings = Trainings(service.shelf, service.limits)

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
            "/workbench/trainings": {"POST": self._start},
            "/workbench/trainings/{id}": {"GET": self._training, "DELETE": self._cancel},
            "/workbench/trainings/{id}/report": {"GET": self._report},
        }

    async def _weights(self, service: Service, request: Request) -> Response:
        asked = laboratory_request(await service.json(request), service.limits)
        book = service.shelf.find(asked.texts.model)
        await service.batcher.run(partial(answers.check_text, book, asked.texts.references, False))
        return json_response(await service.batcher.run(partial(self._laboratory.answer, book, asked)))

    async def _start(self, service: Service, request: Request) -> Response:
        service.guard.check_page(request)
        asked = training_request(await service.json(request), service.shelf)
        return json_response((await self.trainings.start(asked)).document(), 201)

    async def _training(self, service: Service, request: Request) -> Response:  # noqa: ARG002
        return json_response(self.trainings.find(_part(request)).document())

    async def _cancel(self, service: Service, request: Request) -> Response:
        service.guard.check_page(request)
        training = self.trainings.find(_part(request))
        await self.trainings.cancel(training)
        return json_response(training.document())

    async def _report(self, service: Service, request: Request) -> Response:  # noqa: ARG002
        path = self.trainings.find(_part(request)).folder / REPORT
        if not path.is_file():
            raise RequestError(404, "there is no report yet")
        # The report brings a policy of its own, which admits nothing but its style and its script.
        headers = {"content-security-policy": "frame-ancestors 'self'", "x-frame-options": "SAMEORIGIN"}
        return Response(path.read_bytes(), headers=headers, media_type="text/html")


def _part(request: Request) -> str:
    """The part of the path that ``{id}`` stands for."""
    return request.url.path.split("/")[3]


async def _page(service: Service, request: Request) -> Response:  # noqa: ARG001
    headers = {"content-security-policy": policy()}
    return Response(page_html(service.guard.page_token), headers=headers, media_type="text/html")


async def _file(name: str, service: Service, request: Request) -> Response:  # noqa: ARG001
    return Response(resource(name), media_type=TYPES[name.rpartition(".")[2]])


def _book(service: Service, request: Request) -> Book:
    try:
        return service.shelf.find(_part(request))
    except RequestError as error:
        raise RequestError(404, error.detail) from None


async def _model(service: Service, request: Request) -> Response:
    return json_response(model_document(_book(service, request)))


async def _document(service: Service, request: Request) -> Response:
    return json_response(_book(service, request).model.to_dict())


async def _head(service: Service, request: Request) -> Response:
    contents = contents_of(_book(service, request).model.settings.features)
    if len(contents) != _MOST_HEADS:
        raise RequestError(404, "this model has no file beside its own")
    (content,) = contents.values()
    return Response(content, media_type="application/octet-stream")


async def _saved(service: Service, request: Request) -> Response:
    """The model with changed weights, as a document to be downloaded; nothing is kept here."""
    fields = Fields(await service.json(request), ("model", "name", "weights"))
    name = fields.text("name", longest=64)
    if NAME.fullmatch(name) is None:
        raise invalid("/name", f"{shown(name)}; letters, digits, '.', '_' and '-' are needed")
    book = service.shelf.find(fields.text("model", ""))
    return json_response(edited(book, weights_of(fields), name).to_dict())
