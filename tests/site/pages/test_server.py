"""The server of the built site: right types, compressed, and nothing outside its folder."""

import gzip
import http.client
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT
from serve import make_server

TOOL = ROOT / "book" / "_tools" / "serve.py"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    site = tmp_path / "site"
    (site / "book").mkdir(parents=True)
    (site / "index.html").write_text("<p>first</p>" * 100, encoding="utf-8")
    (site / "book" / "index.html").write_text("<p>book</p>", encoding="utf-8")
    (site / "chunk-ABCDEFGH.js").write_text("export {}", encoding="utf-8")
    (site / "runtime-ABCDEFGH.bin").write_bytes(b"\x1f\x8b" * 50)
    (site / "model.wasm").write_bytes(b"\0asm" * 50)
    (site / "photo.png").write_bytes(b"\x89PNG" * 50)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (site / "way-out").symlink_to(tmp_path / "secret.txt")
    with make_server(site) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield "127.0.0.1", running.server_address[1]
        running.shutdown()


def get(
    server: tuple[str, int], path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection(*server, timeout=10)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    return answer, answer.read()


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/book/../../secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/way-out",
        "/book%00.html",
        "/nothing.html",
    ],
)
def test_nothing_outside_the_folder_is_served(server: tuple[str, int], path: str) -> None:
    answer, body = get(server, path)
    assert answer.status == 404
    assert b"secret" not in body


def test_text_is_compressed_for_a_browser_that_asks(server: tuple[str, int]) -> None:
    answer, body = get(server, "/", Accept_Encoding="gzip, br")
    assert answer.getheader("Content-Encoding") == "gzip"
    assert gzip.decompress(body) == b"<p>first</p>" * 100
    plain, whole = get(server, "/")
    assert plain.getheader("Content-Encoding") is None
    assert whole == gzip.decompress(body)


def test_a_picture_is_not_compressed_again(server: tuple[str, int]) -> None:
    assert (
        get(server, "/photo.png", Accept_Encoding="gzip")[0].getheader("Content-Encoding") is None
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/index.html", "text/html; charset=utf-8"),
        ("/chunk-ABCDEFGH.js", "text/javascript; charset=utf-8"),
        ("/model.wasm", "application/wasm"),
        ("/photo.png", "image/png"),
    ],
)
def test_each_file_is_sent_as_what_it_is(server: tuple[str, int], path: str, kind: str) -> None:
    assert get(server, path)[0].getheader("Content-Type") == kind


def test_a_file_named_by_its_content_is_kept_and_a_page_is_asked_for_again(
    server: tuple[str, int],
) -> None:
    for name in ("chunk-ABCDEFGH.js", "runtime-ABCDEFGH.bin"):
        assert "immutable" in (get(server, f"/{name}")[0].getheader("Cache-Control") or "")
    # what is packed already travels as it is: no browser may unpack it on the way
    assert get(server, "/runtime-ABCDEFGH.bin")[0].getheader("Content-Encoding") is None
    page, _ = get(server, "/index.html")
    assert page.getheader("Cache-Control") == "no-cache"
    again, body = get(
        server, "/index.html", If_Modified_Since=page.getheader("Last-Modified") or ""
    )
    assert (again.status, body) == (304, b"")


def test_a_folder_without_its_slash_leads_to_the_folder(server: tuple[str, int]) -> None:
    answer, _ = get(server, "/book")
    assert (answer.status, answer.getheader("Location")) == (301, "/book/")
    assert get(server, "/book/")[1] == b"<p>book</p>"


def test_head_sends_no_body(server: tuple[str, int]) -> None:
    answer, body = get(server, "/index.html", method="HEAD")
    assert (answer.status, body, answer.getheader("Content-Length")) == (200, b"", "1200")


def run(port: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TOOL, "--check"],
        env={"PORT": port},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_a_busy_port_ends_in_one_sentence_with_the_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(str(port))
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"Port {port} is in use: stop what uses it, or run PORT={port + 1} make book."
    )


@pytest.mark.parametrize("port", ["abc", "0", "70000", "-1"])
def test_a_port_that_is_none_ends_in_one_sentence(port: str) -> None:
    done = run(port)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "is not a port" in done.stderr
