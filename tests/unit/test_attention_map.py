"""The record in which attention travels."""

import numpy as np
import pytest
import torch

from seq2bert.attention_map import AttentionMap

WEIGHTS = np.array([[0.1, 0.9, 0.0], [0.5, 0.25, 0.25]])
QUERIES, KEYS = ("le", "chat"), ("the", "cat", ".")


def test_a_single_head_gets_the_axes_layer_and_head():
    attention = AttentionMap(WEIGHTS, QUERIES, KEYS, "cross")
    assert attention.shape == (1, 1, 2, 3)
    assert np.allclose(attention.head(), WEIGHTS)
    assert attention.weights.dtype == np.float32


def test_the_map_keeps_a_copy_that_cannot_be_written_to():
    weights = WEIGHTS.copy()
    attention = AttentionMap(weights, QUERIES, KEYS, "cross")
    weights[0] = 0
    assert attention.head()[0, 1] == np.float32(0.9)
    with pytest.raises(ValueError, match="read-only"):
        attention.weights[0] = 0


def test_argmax_gives_one_cell_a_query_and_none_for_an_empty_row():
    weights = np.array([[0.2, 0.8], [0.0, 0.0], [1.0, 0.0]])
    attention = AttentionMap(weights, ("a", "b", "a"), ("x", "x"), "cross")
    assert attention.argmax() == {(0, 1), (2, 0)}


def test_sure_links_become_possible():
    attention = AttentionMap(WEIGHTS, QUERIES, KEYS, "cross", sure=frozenset({(0, 0)}))
    assert attention.possible == {(0, 0)}


def bad(**changes):
    fields = {"weights": WEIGHTS, "query_tokens": QUERIES, "key_tokens": KEYS, "kind": "cross"}
    return fields | changes


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (bad(weights=WEIGHTS.T.copy()), "3 queries x 2 keys, but there are 2 query tokens and 3"),
        (bad(query_tokens=("le",)), "2 queries x 3 keys, but there are 1 query tokens"),
        (bad(weights=np.zeros(3)), r"shape \(3,\)"),
        (bad(weights=np.zeros((1, 1, 0, 3)), query_tokens=()), "no axis may be empty"),
        (bad(weights=WEIGHTS * np.nan), "NaN"),
        (bad(weights=WEIGHTS - 1), "between -1 and"),
        (bad(weights=WEIGHTS * 3), "energies go through a softmax"),
        (bad(weights=WEIGHTS * 0.5), "row 0 of layer 0, head 0 sums to 0.500"),
        (bad(sure=frozenset({(2, 0)})), r"sure holds the cell \(query 2, key 0\)"),
        (bad(possible=frozenset({(0, -1)})), "possible holds the cell"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(fields, says):
    with pytest.raises(ValueError, match=says):
        AttentionMap(**fields)


def test_one_string_in_place_of_tokens_and_an_unknown_kind_are_refused(unchecked):
    for fields, says in [
        (bad(query_tokens="le"), "is the string 'le'"),
        (bad(key_tokens=(1, 2, 3)), "key_tokens holds 1"),
        (bad(kind="self"), "kind is 'self'"),
    ]:
        with pytest.raises(ValueError, match=says):
            unchecked("attention_map").AttentionMap(**fields)


@pytest.mark.parametrize(("layer", "head"), [(1, 0), (0, 1), (-1, 0)])
def test_a_layer_or_head_that_is_not_there_is_refused(layer, head):
    with pytest.raises(ValueError, match=f"layer {layer}, head {head} asked for"):
        AttentionMap(WEIGHTS, QUERIES, KEYS, "cross").head(layer, head)


def test_unnormalised_weights_are_accepted_when_declared():
    AttentionMap(WEIGHTS * 0.5, QUERIES, KEYS, "cross", normalised=False)


def test_torch_tensors_of_any_dtype_are_taken(unchecked):
    weights = torch.tensor(WEIGHTS, dtype=torch.bfloat16, requires_grad=True)
    attention = unchecked("attention_map").AttentionMap(weights, QUERIES, KEYS, "cross")
    assert np.allclose(attention.head(), WEIGHTS, atol=1e-2)
