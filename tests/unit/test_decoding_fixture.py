"""The file that the TypeScript tests of decoding read is what Python computes now."""

import json

import decoding_fixture
import pytest


def flat(value, path=""):
    """Every leaf of nested lists and dictionaries with its place."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in flat(item, f"{path}/{key}")]
    if isinstance(value, (list, tuple)):
        return [leaf for key, item in enumerate(value) for leaf in flat(item, f"{path}/{key}")]
    return [(path, value)]


def test_the_fixture_is_what_python_computes():
    stored = flat(json.loads(decoding_fixture.PATH.read_text(encoding="utf-8")))
    now = flat(json.loads(decoding_fixture.as_text()))
    assert [path for path, _ in stored] == [path for path, _ in now]
    for (path, one), (_, other) in zip(stored, now, strict=True):
        # the last bits of a float differ between processors
        expected = pytest.approx(other, abs=2e-6) if isinstance(other, float) else other
        assert one == expected, path
