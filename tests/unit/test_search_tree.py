"""The tree of a search: what it holds against the search itself, and against a tree by hand."""

import math

import pytest
import torch

from seq2bert import beam, recurrent
from seq2bert.search_tree import Node, grow
from seq2bert.table_model import TableModel
from seq2bert.vocabulary import Vocabulary

SOURCE, TARGET = Vocabulary("abcde"), Vocabulary("xyzw")
SENTENCES = ["abc", "e", "ddba"]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(4)
    return recurrent.with_attention(len(SOURCE), len(TARGET), recurrent.Sizes(8, 8, 6)).eval()


def memory_of(model, sentence="a"):
    ids = torch.tensor([SOURCE.encode(list(sentence))])
    return model.encode(ids, torch.ones_like(ids, dtype=torch.bool))


def test_a_tree_as_drawn_by_hand():
    words = Vocabulary(["a", "b", "c"])
    follows = {"<bos>": {"a": 0.6, "b": 0.37, "c": 0.03}, "a": {"b": 0.6, "<eos>": 0.4}}
    table = TableModel.of(follows, words)
    tree = grow(table, memory_of(table), words, width=2)
    a, b = words.encode(["a", "b"])
    logs = [math.log(p) for p in (0.6, 0.37, 0.36, 0.24, 0.37, 0.36)]
    # b and its <eos> (.37) put a's <eos> (.24) out of a beam of two
    assert [(n.parent, n.step, n.token, n.kept, n.finished) for n in tree.nodes] == [
        (-1, 1, a, True, False),
        (-1, 1, b, True, False),
        (0, 2, b, True, False),
        (0, 2, words.eos, False, True),
        (1, 2, words.eos, True, True),
        (2, 3, words.eos, True, True),
    ]
    assert [n.log_prob for n in tree.nodes] == pytest.approx(logs)
    # log .36 / 3 beats log .37 / 2
    assert tree.found == (5, 4)
    assert tree.tokens(5) == (a, b, words.eos)
    assert tree.score(4, 1) == pytest.approx(math.log(0.37) / 2)
    assert grow(table, memory_of(table), words, 2, length_penalty=0).found == (4, 5)


@torch.no_grad()
@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_was_found_is_what_the_search_finds(model, sentence, width):
    expected = beam.search(model, memory_of(model, sentence), TARGET, width, (), 6)
    tree = grow(model, memory_of(model, sentence), TARGET, width, 6)
    assert [tree.tokens(place) for place in tree.found] == [h.tokens for h in expected]
    scores = [h.score(1.0) for h in expected]
    assert [tree.score(place, 1.0) for place in tree.found] == pytest.approx(scores)


@torch.no_grad()
@pytest.mark.parametrize("width", [1, 2, 5])
def test_each_beginning_that_went_on_was_continued_in_the_likeliest_ways(model, width):
    limit = 6
    tree = grow(model, memory_of(model, "abc"), TARGET, width, limit)
    parents = [-1, *(i for i, n in enumerate(tree.nodes) if n.kept and not n.finished)]
    assert {node.parent for node in tree.nodes} <= set(parents)
    for parent in parents:
        children = [n for n in tree.nodes if n.parent == parent]
        if children:
            assert len(children) == width
            assert [n.log_prob for n in children] == sorted(
                (n.log_prob for n in children), reverse=True
            )
        for child in children:
            assert child.log_prob <= (tree.nodes[parent].log_prob if parent >= 0 else 0.0)


@torch.no_grad()
@pytest.mark.parametrize("width", [2, 4])
def test_nothing_that_was_dropped_was_likelier_than_what_was_kept(model, width):
    tree = grow(model, memory_of(model, "ddba"), TARGET, width, 6)
    for step in range(1, 7):
        kept = [n.log_prob for n in tree.nodes if n.step == step and n.kept]
        dropped = [n.log_prob for n in tree.nodes if n.step == step and not n.kept]
        if kept and dropped:
            assert min(kept) >= max(dropped)


@torch.no_grad()
def test_a_finished_node_has_no_children_and_the_limit_is_kept(model):
    limit = 4
    tree = grow(model, memory_of(model, "abc"), TARGET, 4, limit)
    assert not any(tree.nodes[n.parent].finished for n in tree.nodes if n.parent >= 0)
    for node in tree.nodes:
        assert node.step <= limit + 1
        assert not (node.kept and node.step == limit + 1 and not node.finished)
    assert isinstance(tree.nodes[0], Node)


def test_a_tree_is_grown_by_one_search_alone(model):
    with pytest.raises(ValueError, match="width is 0"):
        grow(model, memory_of(model), TARGET, 0)
