"""What a reader's browser loads and how fast the live widgets answer; peers are printed beside.

The built site is served compressed by the book's own server, to a real Chromium with an empty
cache. `make bench` runs this; quiet machines give the numbers that hold.
"""

import base64
import gzip
import importlib
import json
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cdn
import pytest
from playwright.sync_api import Page, Response, Route

from browser import browser, playwright_driver, until  # noqa: F401 (fixtures)
from contents import pages_in_contents
from seq2bert.widgets.stored import decode_maps

ROOT = cdn.ROOT
SITE = ROOT / "_build" / "html"
CHAPTER = "book/attention/bahdanau"
STATE = "application/vnd.jupyter.widget-state+json"

sys.path.insert(0, str(ROOT / "book" / "_tools"))
from serve import COMPRESSED, make_server


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder that is served."""
    with make_server(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}"
        server.shutdown()


@dataclass
class Traffic:
    """A page in a fresh browser and what it has transferred, as a compressing host sends it."""

    page: Page
    sizes: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def kilobytes(self, part: str = "") -> float:
        """Of all files whose address holds a text."""
        return sum(size for url, size in self.sizes.items() if part in url) / 1000

    def lines(self, count: int = 12) -> str:
        """The largest files."""
        largest = sorted(self.sizes.items(), key=lambda item: -item[1])[:count]
        names = (f"{size / 1000:9.1f} kB  {url.split('://')[1][-70:]}" for url, size in largest)
        return "\n".join(names)


@pytest.fixture
def traffic(browser):  # noqa: F811
    """Pages whose transfers are counted; other hosts are answered from npm packages."""
    contexts = []

    def fresh() -> Traffic:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        contexts.append(context)
        counted = Traffic(context.new_page())

        def elsewhere(route: Route) -> None:
            if route.request.url.startswith(("http://localhost", "data:", "blob:")):
                route.continue_()
                return
            found = cdn.answer(route.request.url)
            if found is None:
                counted.unknown.append(route.request.url)
                route.abort()
                return
            body, kind = found
            route.fulfill(
                body=body, content_type=kind, headers={"Access-Control-Allow-Origin": "*"}
            )

        def count(answer: Response) -> None:
            if answer.status != 200 or answer.url.startswith(("data:", "blob:")):
                return
            body, kind = answer.body(), answer.headers.get("content-type", "")
            packed = len(gzip.compress(body)) if COMPRESSED.match(kind) else len(body)
            counted.sizes[answer.url] = packed

        context.route("**/*", elsewhere)
        counted.page.on("requestfinished", lambda request: count(request.response()))
        return counted

    yield fresh
    for context in contexts:
        context.close()


ALIVE = (
    "[...document.querySelectorAll('figure.s2b-widget')]"
    ".every((figure) => figure.dataset.live && figure.dataset.live !== 'loading')"
)


def report(capsys, text):
    with capsys.disabled():
        print(f"\n{text}")


def test_bytes_before_and_at_the_first_interaction(traffic, capsys):
    with served(SITE) as address:
        visit = traffic()
        page = visit.page
        page.goto(f"{address}/{CHAPTER}.html", wait_until="networkidle")
        until(page, ALIVE)
        before, scripts = visit.kilobytes(), visit.kilobytes("/_static/frontend/")
        styles = visit.kilobytes("/_static/frontend/site.css")
        listing = visit.lines()
        page.locator(".s2b-translate input.s2b-input").fill("the king sleeps .")
        until(page, "document.querySelector('.s2b-translate .s2b-out').textContent.includes('roi')")
        page.wait_for_timeout(500)
        live = visit.kilobytes() - before
    report(
        capsys,
        f"{CHAPTER}, compressed, everything counted, from an empty cache:\n{listing}\n"
        f"{before:9.1f} kB before anybody touches it (at most 450)\n"
        f"{scripts - styles:9.1f} kB of it scripts of live pictures (at most 60)\n"
        f"{live:9.1f} kB more at the first sentence (at most 5,000)",
    )
    assert visit.unknown == []
    assert before <= 450
    assert scripts - styles <= 60
    assert live <= 5_000


def test_bytes_of_every_page(traffic, capsys):
    lines = []
    with served(SITE) as address:
        for name in pages_in_contents():
            visit = traffic()
            visit.page.goto(f"{address}/{name}.html", wait_until="networkidle")
            lines.append(f"{visit.kilobytes():9.1f} kB  {name}")
            assert visit.kilobytes() <= 450, name
            assert visit.unknown == []
    report(capsys, "before anybody touches it, fonts included, at most 450\n" + "\n".join(lines))


FIRST = """
async (sentence) => {
  const view = document.querySelector('.s2b-translate');
  const input = view.querySelector('input.s2b-input');
  const began = performance.now();
  input.focus();
  input.value = sentence;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await new Promise((done) => {
    const look = () => view.querySelector('.s2b-out').textContent.includes('homme') && done();
    const all = { childList: true, subtree: true, characterData: true };
    new MutationObserver(look).observe(view, all);
  });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}
"""

# From the event of the key to the end of the frame that shows the new picture.
WATCH = """
() => {
  const view = document.querySelector('.s2b-translate');
  const input = view.querySelector('input.s2b-input');
  window.measured = [];
  let pressed = null;
  input.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed === null || view.matches('[aria-busy]')) return;
    const began = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.measured.push(performance.now() - began);
      port2.postMessage(null);
    });
  }).observe(view.querySelector('.s2b-holder'), {
    childList: true, subtree: true, attributes: true, characterData: true,
  });
}
"""
TWELVE = "the woman sells the old {} because it is very old ."


def test_time_to_the_first_answer_and_from_key_to_picture(traffic, capsys):
    firsts = []
    with served(SITE) as address:
        for _ in range(3):
            page = traffic().page
            page.goto(f"{address}/{CHAPTER}.html", wait_until="networkidle")
            until(page, ALIVE)
            firsts.append(page.evaluate(FIRST, "the man reads the old book ."))
        field_ = page.locator(".s2b-translate input.s2b-input")
        field_.fill(TWELVE.format("car"))
        until(page, "!document.querySelector('.s2b-translate:is([aria-busy], .s2b-stale)')")
        page.evaluate(WATCH)
        start = TWELVE.index("{}") + 3
        field_.evaluate(f"(field) => field.setSelectionRange({start}, {start})")
        # as somebody types who takes about seven keys a second
        for word in ("car", "book", "house", "watch", "car", "letter", "bank", "book") * 2:
            while field_.evaluate("(field) => field.value[field.selectionStart - 1] !== ' '"):
                page.keyboard.press("Backspace", delay=20)
                page.wait_for_timeout(120)
            for letter in word:
                page.keyboard.press(letter, delay=20)
                page.wait_for_timeout(120)
        times = page.evaluate("window.measured")
    first, median = statistics.median(firsts) / 1000, statistics.median(times)
    slow = sorted(times)[int(0.9 * len(times))]
    report(
        capsys,
        f"first live answer from an empty cache: {first:.2f} s (at most 2.5)\n"
        f"key to painted picture, 12 words, {len(times)} keys: median {median:.0f} ms (at most "
        f"50), nine in ten within {slow:.0f} ms",
    )
    assert len(times) > 60
    assert first <= 2.5
    assert median <= 50


def a_map():
    """The first map of the chapter's first heat map."""
    notebook = json.loads((ROOT / f"{CHAPTER}.ipynb").read_text(encoding="utf8"))
    for model in notebook["metadata"]["widgets"][STATE]["state"].values():
        if str(model["state"].get("_anywidget_id", "")).endswith(".HeatMap"):
            weights = base64.b64decode(model["buffers"][0]["data"])
            return next(iter(decode_maps(model["state"]["maps"], weights).values()))
    raise AssertionError("the chapter has no heat map")


def test_the_same_map_through_bertviz(traffic, capsys, tmp_path):
    sys.path.insert(0, str(cdn.python_package("bertviz")))
    import torch

    bertviz = importlib.import_module("bertviz")
    attention = a_map()
    drawn = bertviz.head_view(
        cross_attention=[torch.tensor(attention.weights[0]).unsqueeze(0)],
        encoder_tokens=list(attention.key_tokens),
        decoder_tokens=list(attention.query_tokens),
        html_action="return",
    )
    (tmp_path / "index.html").write_text(f"<!doctype html><body>{drawn.data}", encoding="utf8")
    theirs, ours = [], []
    with served(tmp_path) as address:
        for _ in range(3):
            visit = traffic()
            began = time.perf_counter()
            visit.page.goto(f"{address}/index.html", wait_until="commit")
            until(visit.page, "document.querySelectorAll('#vis svg rect').length > 10")
            theirs.append(time.perf_counter() - began)
        visit.page.wait_for_timeout(300)
    with served(SITE) as address:
        for _ in range(3):
            mine = traffic()
            began = time.perf_counter()
            mine.page.goto(f"{address}/{CHAPTER}.html", wait_until="commit")
            until(mine.page, "document.querySelector('figure.s2b-widget .s2b-frame svg rect')")
            still = time.perf_counter() - began
            until(mine.page, "document.querySelector('figure.s2b-widget[data-live=true] rect')")
            ours.append((still, time.perf_counter() - began))
        mine.page.wait_for_timeout(300)
    shape = "x".join(str(size) for size in attention.shape)
    scripts = mine.kilobytes("/_static/frontend/")
    report(
        capsys,
        f"one map ({shape}) through BertViz, as a page of its own: {visit.kilobytes():.0f} kB, "
        f"drawn after {statistics.median(theirs):.2f} s, blank without its three other hosts\n"
        f"{visit.lines(4)}\n"
        f"here, within the whole chapter: {scripts:.0f} kB of scripts and styles for all of its "
        f"widgets, a picture after {statistics.median(o[0] for o in ours):.2f} s, alive after "
        f"{statistics.median(o[1] for o in ours):.2f} s",
    )
    assert visit.unknown == []
    assert scripts < visit.kilobytes()


DEFAULTS = """
title: The same chapter with the defaults of Jupyter Book
author: nobody
execute: {execute_notebooks: "off"}
bibtex_bibfiles: [references.bib]
parse:
  myst_enable_extensions:
    [amsmath, attrs_block, attrs_inline, colon_fence, deflist, dollarmath, fieldlist, substitution]
"""


def test_the_same_page_with_the_defaults_of_jupyter_book(traffic, capsys, tmp_path):
    chapter = ROOT / f"{CHAPTER}.ipynb"
    shutil.copy(chapter, tmp_path / "chapter.ipynb")
    shutil.copy(ROOT / "book" / "references.bib", tmp_path)
    (tmp_path / "_config.yml").write_text(DEFAULTS)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: chapter\n")
    program = Path(sys.executable).with_name("jupyter-book")
    command = [str(program), "build", "--quiet", str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True)
    page = tmp_path / "_build" / "html" / "chapter.html"
    assert page.is_file(), built.stderr[-2000:]
    sizes = {}
    for name, folder, path in (
        ("defaults", page.parent, "chapter"),
        ("this book", SITE, CHAPTER),
    ):
        with served(folder) as address:
            visit = traffic()
            visit.page.goto(f"{address}/{path}.html", wait_until="networkidle")
            visit.page.wait_for_timeout(2_000)
            sizes[name] = visit.kilobytes()
            other = sum(s for u, s in visit.sizes.items() if "://localhost" not in u) / 1000
            report(
                capsys,
                f"{CHAPTER}, {name}: {sizes[name]:.0f} kB, {other:.0f} kB of it from other hosts"
                f"\n{visit.lines(8)}\nnot to be had: {visit.unknown or 'nothing'}",
            )
    report(capsys, f"ratio {sizes['defaults'] / sizes['this book']:.1f}")
    assert sizes["this book"] < sizes["defaults"]
