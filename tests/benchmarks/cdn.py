"""Files that a page asks content delivery networks for, answered from the npm packages they are of.

A machine that builds this book reaches a package registry, not those networks; the files are the
same. They are fetched when a benchmark runs and are not part of the book.
"""

import json
import re
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / ".build" / "peers"

sys.path.insert(0, str(ROOT / "book" / "_tools"))
from node import find_node

# cdnjs has its own names and minifies some files itself
CDNJS = {
    "require.js": ("requirejs", "require.js"),
    "d3": ("d3", "dist/d3.min.js"),
    # the nearest version that npm has
    "jquery": ("jquery", "dist/jquery.min.js"),
}
NEAREST = {"jquery@2.0.0": "jquery@2.1.0"}


@cache
def package(name: str) -> Path:
    """The folder of an npm package (`d3@5.7.0`), fetched once."""
    name = NEAREST.get(name, name)
    folder = STORE / "npm" / re.sub(r"[^\w.@-]", "+", name)
    if not (folder / "package").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        node = find_node()
        npm = node.npm if node else ("npm",)
        packed = subprocess.run(
            [*npm, "pack", "--silent", "--json", name],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        archive = folder / json.loads(packed.stdout)[0]["filename"]
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        archive.unlink()
    return folder / "package"


def python_package(name: str) -> Path:
    """The folder to import a Python package from, fetched without what it depends on."""
    folder = STORE / "python"
    if not (folder / name).is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", name]
        subprocess.run([*command, "--target", str(folder)], check=True)
    return folder


def answer(url: str) -> tuple[bytes, str] | None:
    """The body and the type of a file on a network that is known here; None for any other."""
    parts = urlsplit(url)
    if parts.netloc == "cdn.jsdelivr.net" and parts.path.startswith("/npm/"):
        found = re.fullmatch(r"/npm/((?:@[^/]+/)?[^/@]+(?:@[^/]+)?)/(.+)", parts.path)
        if not found:
            return None
        name, path = found.groups()
    elif parts.netloc == "cdnjs.cloudflare.com":
        library, version, file = parts.path.removeprefix("/ajax/libs/").split("/", 2)
        if library not in CDNJS:
            return None
        name, path = f"{CDNJS[library][0]}@{version}", CDNJS[library][1]
        if not file.removesuffix(".js").endswith("min"):
            return None
    else:
        return None
    file = package(name) / path
    if not file.is_file():
        file = file.with_name(file.name + ".js")
    if not file.is_file():
        return None
    body = minified(file) if name.startswith("requirejs") else file.read_bytes()
    kind = {".js": "text/javascript", ".css": "text/css", ".woff": "font/woff"}
    return body, kind.get(file.suffix, "application/octet-stream")


@cache
def minified(file: Path) -> bytes:
    """A script as cdnjs serves it; npm has this one only in full."""
    esbuild = ROOT / "book/frontend/node_modules/.bin/esbuild"
    made = subprocess.run([str(esbuild), "--minify", str(file)], check=True, capture_output=True)
    return made.stdout
