"""Sizes and speeds that the book promises, printed; `make bench`."""

import gzip
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seq2bert import corpus

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"


def report(capsys, text):
    with capsys.disabled():
        print(f"\n{text}")


def test_fifty_thousand_pairs(capsys):
    began = time.process_time()
    corpus.pairs("train", 50_000)
    seconds = time.process_time() - began
    report(capsys, f"50,000 sentence pairs: {seconds:.1f} CPU seconds (at most 15)")
    assert seconds <= 15


class Requests(HTMLParser):
    """The files that a page asks for before anybody touches it."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "script" and named.get("src"):
            self.found.append(named["src"])
        if tag == "link" and named.get("rel") == "stylesheet":
            self.found.append(named["href"])


@pytest.mark.parametrize("page", ["book/attention/bahdanau", "book/intro"])
def test_bytes_of_a_page(page, capsys):
    file = SITE / f"{page}.html"
    parser = Requests()
    text = file.read_text(encoding="utf8")
    parser.feed(text)
    sizes = {"(the page)": len(gzip.compress(text.encode()))}
    for address in parser.found:
        path = (file.parent / address.partition("?")[0]).resolve()
        sizes[path.name] = len(gzip.compress(path.read_bytes()))
    lines = [f"{size / 1000:8.1f} kB  {name}" for name, size in sizes.items()]
    total = sum(sizes.values()) / 1000
    report(capsys, f"{page}, gzipped, fonts left out\n" + "\n".join(lines) + f"\n{total:8.1f} kB")
    assert total <= 450


def test_a_second_build_after_a_one_line_edit(capsys):
    page = ROOT / "book" / "reference" / "notation.md"
    before = page.read_text(encoding="utf8")
    subprocess.run([sys.executable, "book/_tools/prepare.py", "site"], cwd=ROOT, check=True)
    try:
        page.write_text(before + "\nOne more line.\n", encoding="utf8")
        began = time.monotonic()
        subprocess.run([sys.executable, "book/_tools/prepare.py", "site"], cwd=ROOT, check=True)
        seconds = time.monotonic() - began
    finally:
        page.write_text(before, encoding="utf8")
    report(capsys, f"make site after a one-line edit: {seconds:.1f} s (at most 15)")
    assert seconds <= 15
