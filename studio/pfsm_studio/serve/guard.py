"""Who may ask: names of the server, the token, pages of other origins; and headers that keep browsers careful."""

import hmac
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass

from starlette.requests import Request

from pfsm_studio.serve.limits import RequestError

# Answered to everyone, so that whatever watches over the server needs no token. It tells nothing.
OPEN = frozenset({"/healthz"})
_SAFE = frozenset({"GET", "HEAD"})
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Guard:
    """Checks of every request.

    Attributes:
        port: Where the server listens.
        names: Names that it goes by, besides ``localhost`` and addresses of this machine.
        token: What clients have to know; None: nothing.
        anywhere: Whether it listens on an address that is not this machine's own.
    """

    port: int
    names: Collection[str] = ()
    token: str | None = None
    anywhere: bool = False

    def check(self, request: Request, *, assets: Collection[str] = ()) -> None:
        """Refuses a request that may come from somebody else's page, or from nobody who knows the token.

        Args:
            request: The request.
            assets: Paths of the page and its files, which hold no secrets.

        Raises:
            RequestError: If it is refused.
        """
        # Somebody else's name that leads to this machine is not a name of this server (DNS rebinding).
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            raise RequestError(421, "the header Host does not name this server; --allow-host NAME adds one")
        self._check_origin(request)
        path = request.url.path
        asset = path in assets and request.method in _SAFE
        if self.token is not None and path not in OPEN and not asset:
            self._check_token(request.headers.getlist("authorization"))

    def _is_own(self, host: str) -> bool:
        name, port = _split(host.lower())
        if name in self.names:
            return True  # behind a proxy it may have any port
        if port != str(self.port) and not (port == "" and self.port == 80):
            return False
        if name == "localhost":
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # An address cannot be made to lead somewhere else, as a name can.
        return address.is_loopback or self.anywhere

    def _check_origin(self, request: Request) -> None:
        """A page of another origin asks for nothing here."""
        site = request.headers.get("sec-fetch-site", "same-origin")
        if request.method not in _SAFE and site not in {"same-origin", "none"}:
            raise RequestError(403, "pages of other origins may not ask")
        origins = request.headers.getlist("origin")
        if any(origin.partition("://")[2].lower() != request.headers["host"].lower() for origin in origins):
            raise RequestError(403, "pages of other origins may not ask")

    def _check_token(self, given: list[str]) -> None:
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        # Compared in a time that tells nothing about where they differ.
        right = hmac.compare_digest(token.strip().encode("utf-8", "replace"), (self.token or "").encode())
        if kind.lower() != "bearer" or not right:
            raise RequestError(401, "send the server's token: Authorization: Bearer TOKEN")


def _split(host: str) -> tuple[str, str]:
    """Name and port of a ``Host`` header; brackets of an IPv6 address are taken off."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, rest.removeprefix(":")
    name, _, port = host.partition(":")
    return name, port
