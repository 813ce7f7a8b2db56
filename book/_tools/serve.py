"""Serve the built site on this machine, compressed as a good host would.

    python book/_tools/serve.py [--check] [FOLDER]

`PORT` and `HOST` in the environment choose the address; `--check` only tells whether the port
is free. Only the standard library is used.
"""

import errno
import gzip
import mimetypes
import os
import re
import sys
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"

TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
    ".map": "application/json",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".bin": "application/octet-stream",
    ".onnx": "application/octet-stream",
    ".safetensors": "application/octet-stream",
}
COMPRESSED = re.compile(r"^(text/|application/(json|wasm|x-ipynb)|image/svg)")
# The bundler puts a hash of the content into these names, so they never change.
HASHED = re.compile(r"-[0-9A-Z]{8}\.(m?js|css|bin)$")


class SiteHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with the files of one folder."""

    protocol_version = "HTTP/1.1"
    server_version = "book"
    sys_version = ""

    def __init__(self, *args: object, folder: Path, **kwargs: object) -> None:
        """Take the folder to serve; everything else is the server's."""
        self.folder = folder.resolve()
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file."""
        self.answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with a file's headers."""
        self.answer(with_body=False)

    def answer(self, *, with_body: bool) -> None:
        """Send the file that the address names, or say that there is none."""
        address = unquote(urlsplit(self.path).path)
        file = self.locate(address)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        if file.is_dir():
            if not address.endswith("/"):
                self.send_response(HTTPStatus.MOVED_PERMANENTLY)
                self.send_header("Location", urlsplit(self.path).path + "/")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            file /= "index.html"
        if not file.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        changed = int(file.stat().st_mtime)
        if self.is_known(changed):
            self.send_response(HTTPStatus.NOT_MODIFIED)
            self.end_headers()
            return
        kind = content_type(file)
        zipped = bool(COMPRESSED.match(kind)) and "gzip" in self.headers.get("Accept-Encoding", "")
        body = compressed(file, changed) if zipped else file.read_bytes()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", formatdate(changed, usegmt=True))
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("X-Content-Type-Options", "nosniff")
        if zipped:
            self.send_header("Content-Encoding", "gzip")
        lasting = HASHED.search(file.name)
        self.send_header(
            "Cache-Control", "public, max-age=31536000, immutable" if lasting else "no-cache"
        )
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def locate(self, address: str) -> Path | None:
        """Return the path an address stands for, None if it leads out of the folder."""
        if "\0" in address:
            return None
        path = (self.folder / address.lstrip("/")).resolve()
        return path if path == self.folder or self.folder in path.parents else None

    def is_known(self, changed: int) -> bool:
        """Tell whether the browser's copy is as new as the file."""
        since = self.headers.get("If-Modified-Since")
        try:
            return since is not None and changed <= parsedate_to_datetime(since).timestamp()
        except ValueError:
            return False

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet: the terminal shows the address and nothing else."""


class SiteServer(ThreadingHTTPServer):
    """A server that does not print a traceback when a browser hangs up."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over a connection that was cut; report anything else as usual."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def content_type(file: Path) -> str:
    """Return the media type of a file, with the character set of a text."""
    kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
    kind = kind or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


@lru_cache(maxsize=512)
def compressed(file: Path, changed: int) -> bytes:
    """Return the compressed bytes of a file as it was at a time."""
    return gzip.compress(file.read_bytes(), compresslevel=6, mtime=0)


def make_server(folder: Path, host: str = "127.0.0.1", port: int = 0) -> SiteServer:
    """Return a server for a folder; port 0 takes any free one."""
    return SiteServer((host, port), partial(SiteHandler, folder=folder))


def main(arguments: list[str]) -> int:
    """Serve until ctrl-C and return the exit code."""
    host = os.environ.get("HOST") or "127.0.0.1"
    given = os.environ.get("PORT") or "8000"
    if not given.isdecimal() or not 0 < int(given) < 65536:
        print(f"PORT={given} is not a port: give a number from 1 to 65535.", file=sys.stderr)
        return 1
    port = int(given)
    folder = Path(next((a for a in arguments if not a.startswith("-")), SITE))
    check_only = "--check" in arguments
    if not check_only and not (folder / "index.html").is_file():
        print(f"There is no site in {folder}: run make site first.", file=sys.stderr)
        return 1
    try:
        server = make_server(folder, host, port)
    except OSError as error:
        print(reason(error, host, port), file=sys.stderr)
        return 1
    with server:
        if check_only:
            return 0
        shown = "localhost" if host == "127.0.0.1" else host
        print(f"The book is served on http://{shown}:{port} (ctrl-C stops it).", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nStopped.")
    return 0


def reason(error: OSError, host: str, port: int) -> str:
    """Say in one sentence why the address cannot be used."""
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else 8000
        return f"Port {port} is in use: stop what uses it, or run PORT={other} make book."
    if error.errno == errno.EACCES:
        return f"Port {port} needs special rights: run PORT=8000 make book."
    return f"The address {host}:{port} cannot be used: {error.strerror}."


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
