"""Vocabulary and batches."""

from dataclasses import dataclass

import pytest
import torch

from seq2bert.batching import make_batch, make_batches, pad
from seq2bert.vocabulary import Vocabulary


@dataclass(frozen=True)
class Pair:
    source: tuple[str, ...]
    target: tuple[str, ...]


PAIRS = [Pair(("a", "b", "c"), ("x", "y")), Pair(("b",), ("z", "x", "y", "x"))]
SOURCE = Vocabulary(["a", "b", "c"])
TARGET = Vocabulary(["x", "y", "z"], specials=("<unk>", "<eos>", "<bos>", "<pad>"))


def test_ids_are_places_and_special_tokens_come_first():
    assert SOURCE.tokens == ("<pad>", "<bos>", "<eos>", "<unk>", "a", "b", "c")
    assert SOURCE.encode(["c", "a"]) == [6, 4]
    assert (SOURCE.pad, SOURCE.bos, SOURCE.eos, SOURCE.unk) == (0, 1, 2, 3)
    assert (TARGET.pad, TARGET.bos, TARGET.eos, TARGET.unk) == (3, 2, 1, 0)


def test_unknown_words_become_unk_and_known_ones_come_back():
    assert SOURCE.decode(SOURCE.encode(["a", "q", "c"])) == ("a", "<unk>", "c")
    assert "a" in SOURCE
    assert "q" not in SOURCE
    assert len(SOURCE) == 7


def test_building_does_not_depend_on_the_order_of_sentences():
    one = Vocabulary.build([["b", "a"], ["c"]])
    assert one.tokens == Vocabulary.build([["c"], ["a", "b"]]).tokens == SOURCE.tokens


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no words"),
        (["a", "a"], "'a' stands twice"),
        (["<pad>"], "stands twice"),
        (["a", ""], "is no word"),
    ],
)
def test_bad_words_are_refused(words, says):
    with pytest.raises(ValueError, match=says):
        Vocabulary(words)


def test_strings_in_place_of_tokens_are_refused():
    with pytest.raises(ValueError, match="split it into tokens"):
        Vocabulary.build(["a b"])
    with pytest.raises(ValueError, match="split it into tokens"):
        SOURCE.encode("abc")


@pytest.mark.parametrize("index", [-1, 7])
def test_ids_outside_are_refused(index):
    with pytest.raises(ValueError, match=f"id {index} is none of 0 to 6"):
        SOURCE.decode([index])


def test_pad_of_a_worked_example():
    ids, mask = pad([[1, 2], [], [3]], pad_id=9)
    assert ids.tolist() == [[1, 2], [9, 9], [3, 9]]
    assert mask.tolist() == [[True, True], [False, False], [True, False]]


def test_the_decoder_reads_what_it_writes_shifted_by_one():
    batch = make_batch(PAIRS, SOURCE, TARGET)
    read = [TARGET.decode(row) for row in batch.target_in.tolist()]
    write = [TARGET.decode(row) for row in batch.target_out.tolist()]
    assert read[0] == ("<bos>", "x", "y", "<pad>", "<pad>")
    assert write[0] == ("x", "y", "<eos>", "<pad>", "<pad>")
    assert read[1] == ("<bos>", "z", "x", "y", "x")
    assert write[1] == ("z", "x", "y", "x", "<eos>")
    assert batch.target_mask.sum(1).tolist() == [3, 5]


def test_each_side_is_padded_with_its_own_pad():
    batch = make_batch(PAIRS, SOURCE, TARGET)
    assert batch.source[1].tolist() == [5, 0, 0]
    assert batch.target_out[0].tolist()[-2:] == [3, 3]


def test_batches_hold_every_pair_once_and_are_reproducible():
    pairs = [Pair(("a",) * (1 + i % 7), ("x",) * (1 + i % 5)) for i in range(50)]
    batches = make_batches(pairs, SOURCE, TARGET, batch_size=8, seed=1)
    assert sorted(row for batch in batches for row in batch.rows) == list(range(50))
    again = make_batches(pairs, SOURCE, TARGET, batch_size=8, seed=1)
    assert [b.rows for b in batches] == [b.rows for b in again]
    assert all(torch.equal(b.source, a.source) for b, a in zip(batches, again, strict=True))


def test_batches_group_similar_lengths():
    pairs = [Pair(("a",) * (1 + i % 10), ("x",)) for i in range(100)]
    batches = make_batches(pairs, SOURCE, TARGET, batch_size=10)
    assert all(batch.source_mask.all() for batch in batches)


@pytest.mark.parametrize("size", [0, -3])
def test_a_batch_size_that_is_not_positive_is_refused(size):
    with pytest.raises(ValueError, match=f"batch_size is {size}"):
        make_batches(PAIRS, SOURCE, TARGET, batch_size=size)


def test_empty_sides_and_empty_lists_are_refused():
    with pytest.raises(ValueError, match="pair 1 has an empty side"):
        make_batch([PAIRS[0], Pair((), ("x",))], SOURCE, TARGET)
    with pytest.raises(ValueError, match="no sentence pairs"):
        make_batches([], SOURCE, TARGET, batch_size=2)
    with pytest.raises(ValueError, match="no sequences"):
        pad([], pad_id=0)
