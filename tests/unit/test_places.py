"""Places of a picture: items in order, the centre of weights, a crop that can be trained."""

import numpy as np
import pytest
import torch

from seq2bert import canvases
from seq2bert.attention.places import as_items, crop, mean_place


def test_the_places_of_a_map_come_row_after_row():
    feature_map = torch.arange(12.0).view(1, 2, 2, 3)
    assert as_items(feature_map)[0].tolist() == [[0, 6], [1, 7], [2, 8], [3, 9], [4, 10], [5, 11]]


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [(0, 0, (-0.75, -0.5)), (1, 3, (0.75, 0.5)), (0, 1, (-0.25, -0.5))],
)
def test_all_weight_on_one_place_gives_its_middle(row, column, expected):
    weights = torch.zeros(1, 2, 4)
    weights[0, row, column] = 1.0
    assert mean_place(weights)[0].tolist() == list(expected)


def test_even_weights_and_no_weights_give_the_middle_of_the_picture():
    weights = torch.stack([torch.full((3, 5), 1 / 15), torch.zeros(3, 5)])
    assert torch.allclose(mean_place(weights), torch.zeros(2, 2), atol=1e-6)


def test_a_crop_on_whole_pixels_is_a_slice():
    picture = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(1))
    # the middle of the pixels 4 to 7 of eight is pixel border 6: 2 * 6 / 8 - 1
    place = torch.tensor([[0.5, -0.5]])
    assert torch.allclose(crop(picture, place, 4), picture[:, :, 0:4, 4:8], atol=1e-6)


def test_outside_of_the_picture_there_is_nothing():
    assert (crop(torch.ones(1, 1, 8, 8), torch.tensor([[3.0, 0.0]]), 4) == 0).all()


def test_a_crop_passes_a_gradient_to_its_place():
    picture = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(2))
    place = torch.tensor([[0.1, -0.2]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: crop(picture.double(), p, 4), place)


def test_a_crop_of_no_pixels_is_refused():
    with pytest.raises(ValueError, match="a crop of 0 pixels"):
        crop(torch.ones(1, 1, 8, 8), torch.zeros(1, 2), 0)


@pytest.fixture(scope="module")
def drawn():
    return canvases.draw(40, held_out=False, seed=3)


def of_the_pool(label):
    images, labels = canvases._digits()
    return torch.from_numpy(images[labels == label])


def test_the_box_of_a_canvas_holds_the_digit_and_the_dot_that_are_asked_for(drawn):
    for picture, box, asked, label in zip(
        drawn.pictures, drawn.boxes, drawn.asked, drawn.labels, strict=True
    ):
        inside = picture[0][box].view(10, 10)
        dot = inside[:2, :2] if asked == 0 else inside[-2:, -2:]
        assert (dot == 1).all()
        differs = (of_the_pool(label.item()) - inside[1:9, 1:9]).abs()
        differs[:, [0, -1], [0, -1]] = 0  # one pixel of a dot lies on a corner of its digit
        assert differs.flatten(1).sum(dim=1).min() == 0


def test_the_label_is_the_digit_with_the_dot_that_is_asked_for(drawn):
    rows = torch.arange(40)
    assert drawn.labels.equal(drawn.digits[rows, drawn.asked])
    assert set(drawn.asked.tolist()) == {0, 1}


def test_boxes_lie_inside_of_the_canvas_and_apart():
    corners = canvases._places(np.random.default_rng(1), 200, side=28, digits=3)
    assert corners.min() >= 0
    assert corners.max() <= 18
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert (np.abs(corners[:, first] - corners[:, second]).max(axis=-1) >= 10).all()


def test_test_canvases_show_other_digits_than_training_canvases():
    images, _ = canvases._digits()
    train = torch.from_numpy(images[: -canvases.HELD_OUT])
    one = canvases.draw(20, held_out=True, digits=2)
    for canvas in range(20):
        inside = one.pictures[canvas, 0][one.boxes[canvas]].view(10, 10)[1:9, 1:9]
        differs = (train - inside).abs()
        differs[:, [0, -1], [0, -1]] = 0
        assert differs.flatten(1).sum(dim=1).min() > 0


def test_same_seed_same_canvases_another_seed_others():
    first, again, other = (canvases.draw(5, False, seed=s).pictures for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"count": 0}, "0 canvases"),
        ({"count": 1, "digits": 1}, "1 digits"),
        ({"count": 1, "side": 19}, "19 x 19"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        canvases.draw(held_out=False, **settings)
