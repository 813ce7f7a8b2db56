"""Each page states what it may load, and the build fails if it would load anything else.

A `Content-Security-Policy` in each page allows the site's own files and, by hash, the few inline
scripts of the theme. So a page works on a host that sends no headers, and behind one that is
strict.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

MARK = '<meta http-equiv="Content-Security-Policy"'
SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S | re.I)
DATA = re.compile(r"""\btype\s*=\s*["']?(application/(?:[\w.+-]*\+)?json)""", re.I)
HANDLER = re.compile(r"""<[a-z][^<>]*?\s(on[a-z]+)\s*=\s*["']""", re.I)
# What a browser fetches by itself; a link that the reader follows is not among it.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|object|embed)\b[^>]*?\b(?:src|data)\s*=\s*["']((?:https?:)?//[^"']+)"""
    r"""|<link\b(?=[^>]*\brel=["'](?:stylesheet|preload|modulepreload|icon|prefetch|preconnect))"""
    r"""[^>]*\bhref=["']((?:https?:)?//[^"']+)""",
    re.I,
)


def policy(page: str) -> str:
    """Return the policy that lets a page do what it does and no more."""
    hashes = sorted({f"'sha256-{digest(text)}'" for text in inline_scripts(page)})
    return "; ".join(
        [
            "default-src 'none'",
            # WebAssembly runs the models of the chapters in the reader's browser.
            " ".join(["script-src 'self' 'wasm-unsafe-eval'", *hashes]),
            # KaTeX and the pictures place their parts with style attributes.
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
        ]
    )


def inline_scripts(page: str) -> Iterator[str]:
    """Yield the text of each script that a browser would execute from the page itself."""
    for attributes, text in SCRIPT.findall(page):
        if not re.search(r"\bsrc\s*=", attributes) and not DATA.search(attributes):
            yield text


def digest(text: str) -> str:
    """Return the base64 of a script's SHA-256, as a policy writes it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def faults(page: str) -> Iterator[str]:
    """Yield what a page does that its policy or the book forbids."""
    for first, second in FETCHED.findall(page):
        yield f"loads {first or second} from another host"
    for handler in HANDLER.findall(SCRIPT.sub("", page)):
        yield f"has an inline event handler ({handler})"


def protect(file: Path) -> list[str]:
    """Write the policy into a page that has none yet, and return the page's faults."""
    page = file.read_text(encoding="utf-8")
    if MARK not in page:
        meta = f'{MARK} content="{policy(page)}" />'
        opened, count = re.subn(r"<head>", lambda m: f"{m[0]}\n    {meta}", page, count=1)
        # The page at the top of the site only leads to the first chapter and has no head.
        file.write_text(opened if count else f"{meta}\n{page}", encoding="utf-8")
    return list(faults(page))


def protect_all(app: Sphinx, exception: Exception | None) -> None:
    """Protect every page of a finished build."""
    if exception is not None or app.builder.format != "html":
        return
    found = [
        f"{file.relative_to(app.outdir).as_posix()} {fault}"
        for file in sorted(Path(app.outdir).rglob("*.html"))
        if not {"_static", "_sources"} & set(file.relative_to(app.outdir).parts)
        for fault in protect(file)
    ]
    if found:
        raise ExtensionError("Pages break the site's policy: " + "; ".join(found))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("build-finished", protect_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
