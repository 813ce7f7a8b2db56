"""The corpus holds no tensors: it is imported without the run-time shape checks, which would make
drawing tens of thousands of sentences slow, and would meet bad input before the corpus does."""

import gc
import sys

import pytest

_hooks = [finder for finder in sys.meta_path if "jaxtyping" in type(finder).__module__]
for _hook in _hooks:
    sys.meta_path.remove(_hook)
import seq2bert.corpus

sys.meta_path[:0] = _hooks


@pytest.fixture(scope="package", autouse=True)
def _no_cycle_collector():
    """The pairs hold no cycles, but millions of tuples for the collector to walk in vain."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="package")
def train():
    """50,000 training pairs."""
    return seq2bert.corpus.pairs("train", 50_000)


@pytest.fixture(scope="package")
def sample(train):
    """10,000 pairs of all kinds, with long sentences and unseen combinations among them."""
    return (
        train[:8_000] + seq2bert.corpus.pairs("long", 1_000) + seq2bert.corpus.pairs("novel", 1_000)
    )
