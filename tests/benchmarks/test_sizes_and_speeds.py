"""Sizes and speeds that the book promises, printed; `make bench`."""

import subprocess
import sys
import time
from pathlib import Path

from seq2bert import corpus

ROOT = Path(__file__).parents[2]


def report(capsys, text):
    with capsys.disabled():
        print(f"\n{text}")


def test_fifty_thousand_pairs(capsys):
    began = time.process_time()
    corpus.pairs("train", 50_000)
    seconds = time.process_time() - began
    report(capsys, f"50,000 sentence pairs: {seconds:.1f} CPU seconds (at most 15)")
    assert seconds <= 15


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
