"""Who may ask a server: the hosts and the origins of requests that it answers, and what it tells a browser (CORS).

A web page that a user of this machine looks at can send requests to it. A browser names the page's origin with them
and, where a name of the page's owner leads to this machine (DNS rebinding), that name as the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, TypeAlias, final

from .engine import beginning
from .errors import AdapterError

Headers: TypeAlias = Sequence[tuple[str, str]]

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s:/@,\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/,]+")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SHOWN = 80


class AccessError(AdapterError):
    """What is allowed is no host or no origin."""


class ProblemError(Exception):
    """A request that is answered with an HTTP error."""

    def __init__(self, status: HTTPStatus, text: str, *headers: tuple[str, str]) -> None:
        super().__init__(text)
        self.status: HTTPStatus = status
        self.headers: Headers = headers


@final
class Access:
    """The hosts and origins whose requests are answered."""

    def __init__(
        self,
        host: str,
        address: str,
        port: int,
        *,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        has_options: bool = True,
    ) -> None:
        """Allow the host and the address that is listened on, with the port, and what else is given.

        Args:
            host: The host to listen on, as it was named.
            address: Its address. One that stands for all addresses allows every IP address and `localhost`: only a
                name can be made to lead here by someone else.
            port: The port.
            hosts: More hosts, such as `name` (with any port) or `name:8080`.
            origins: The origins of other web pages that may ask, such as `https://example.org`.
            has_options: Whether the command that serves has options for more hosts and origins, which messages name.

        Raises:
            AccessError: Something else is given for a host or an origin.
        """
        listened = ip_address(address.partition("%")[0])
        self._has_options = has_options
        self._any_address = listened.is_unspecified
        names = [host.lower(), address.lower(), *(_LOOPBACK if listened.is_loopback else ())]
        named = {f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names}
        allowed = {("localhost", None)} if self._any_address else {(name, port) for name in named}
        self._hosts: frozenset[tuple[str, int | None]] = frozenset(allowed | {_given_host(each) for each in hosts})
        self._origins = frozenset(map(_given_origin, origins))

    def check(self, environ: Mapping[str, Any]) -> Headers:
        """Return the headers that a browser wants to see in the answer.

        Args:
            environ: The request, as WSGI has it.

        Raises:
            ProblemError: The request is for another host, or of a page that may not ask.
        """
        host: str = environ.get("HTTP_HOST", "").lower()
        if not host:
            raise ProblemError(HTTPStatus.BAD_REQUEST, "the request does not say which host it is for (Host)")
        if not self._is_allowed(host):
            raise ProblemError(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"this server is not {beginning(host, _SHOWN)!r}: it is {self._said()}"
                + ("; start it with --allow-host for another name" if self._has_options else ""),
            )
        vary = (("Vary", "Origin"),) if self._origins else ()
        origin: str | None = environ.get("HTTP_ORIGIN")
        if origin is None or origin.lower() == f"http://{host}":
            return vary
        if origin.lower() not in self._origins:
            raise ProblemError(
                HTTPStatus.FORBIDDEN,
                f"web pages of {beginning(origin, _SHOWN)!r} may not ask this server"
                + (": start it with --allow-origin for those that may" if self._has_options else ""),
            )
        return (*vary, ("Access-Control-Allow-Origin", origin))

    def _is_allowed(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name, port = parts["name"], int(parts["port"] or 80)
        return not self._hosts.isdisjoint({(name, port), (name, None)}) or (self._any_address and _is_address(name))

    def _said(self) -> str:
        """Say which hosts are allowed."""
        known = [name if port is None else f"{name}:{port}" for name, port in sorted(self._hosts, key=str)]
        return ", ".join([*known, *(["any IP address"] if self._any_address else [])])


def preflight_headers(methods: Sequence[str]) -> Headers:
    """Return what a browser wants to know before it sends a request of a page that may ask.

    Args:
        methods: The methods that the path allows.
    """
    return (
        ("Access-Control-Allow-Methods", ", ".join(methods)),
        ("Access-Control-Allow-Headers", "Content-Type"),
        ("Access-Control-Max-Age", "600"),
    )


def _is_address(name: str) -> bool:
    try:
        _ = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _given_host(text: str) -> tuple[str, int | None]:
    parts = _HOST.fullmatch(text.lower())
    if parts is None:
        raise AccessError(f"{text!r} is no host: write NAME or NAME:PORT, such as example.org")
    return parts["name"], int(parts["port"]) if parts["port"] else None


def _given_origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text.lower()):
        raise AccessError(f"{text!r} is no origin: write SCHEME://HOST[:PORT], such as https://example.org")
    return text.lower()
