"""The memory task: what is asked has one answer, and it stands among the boxes."""

import pytest
import torch

from seq2bert.recall_task import BOXES, FILLERS, NUMBERS, TOKENS, draw, names


def drawn(count=200, distance=5, seed=0):
    return draw(count, distance, torch.Generator().manual_seed(seed))


def test_the_answer_stands_in_the_box_that_is_asked_for():
    batch = drawn()
    for words, answer, box in zip(batch.words, batch.answer, batch.box, strict=True):
        tokens = names(words)
        letter, number = tokens[box].split("=")
        assert tokens[-1] == f"{letter}?"
        assert NUMBERS[answer] == number


def test_no_letter_stands_on_two_boxes():
    for words in drawn().words:
        assert len({token[0] for token in names(words[:BOXES])}) == BOXES


def test_between_boxes_and_question_nothing_matters():
    between = {token for words in drawn().words for token in names(words[BOXES:-1])}
    assert between == set(FILLERS)


@pytest.mark.parametrize("distance", [0, 16])
def test_so_many_symbols_lie_between(distance):
    assert drawn(distance=distance).words.shape == (200, BOXES + distance + 1)


def test_every_box_and_every_answer_is_asked_for_about_equally_often():
    batch = drawn(count=6_000)
    for found, kinds in ((batch.box, BOXES), (batch.answer, len(NUMBERS))):
        shares = found.bincount(minlength=kinds) / 6_000
        assert (shares - 1 / kinds).abs().max() < 0.03


def test_the_same_seed_draws_the_same():
    assert torch.equal(drawn(seed=1).words, drawn(seed=1).words)
    assert not torch.equal(drawn(seed=1).words, drawn(seed=2).words)


def test_no_two_ids_have_one_name():
    assert len(set(TOKENS)) == len(TOKENS)


@pytest.mark.parametrize(("count", "distance"), [(0, 5), (1, -1)])
def test_nothing_to_draw_is_refused(count, distance):
    with pytest.raises(ValueError, match=f"{count} sequences with {distance}"):
        draw(count, distance, torch.Generator())
