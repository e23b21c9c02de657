"""Lets datc-check ask your engine: JSON-RPC over HTTP, one message a POST.

Start this program, `python3 datc_server.py`, and datc-check asks it at the URL in `datc.toml`. Fill in `initialize` and
`adjudicate` where it says TODO; the rest can stay. `datc-check schema protocol` prints the schema of all messages.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import final

from ..python.datc_bridge import respond  # `datc-check init` puts it here


@final
class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection, one after the other."""

    protocol_version = "HTTP/1.1"  # the connection stays open
    wbufsize = -1  # an answer leaves in one piece,
    disable_nagle_algorithm = True  # and at once
    timeout = 600

    def do_POST(self) -> None:
        """Answer the message in the body; an error of JSON-RPC is an answer, too."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.send_error(411, "a message needs a Content-Length")
            return
        answer = respond(self.rfile.read(int(length))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        _ = self.wfile.write(answer)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Keep quiet about requests that went well."""


def main() -> None:
    """Answer until Ctrl-C: `datc_server.py [PORT]`."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8321
    with suppress(KeyboardInterrupt), ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
