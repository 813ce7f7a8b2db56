"""A reader with and without order, equal to torch's layer by layer, and the two tasks by hand."""

import pytest
import torch
from torch.nn import functional

from seq2bert.order_tasks import NAMES, UNASKED, VALUES, last_value, steps_back
from seq2bert.ordered import Order, OrderedAttention, OrderedReader, orders
from seq2bert.transformer import causal_mask

SCHEMES = ("none", "sinusoidal", "learned", "relative", "rotary", "ALiBi")


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def reader(name, seed=0):
    torch.manual_seed(seed)
    order = orders(width=16, heads=2, most=12, furthest=4)[name]
    model = OrderedReader(10, 5, order, width=16, heads=2, layers=2)
    for parameter in order.parameters():  # learned parts begin near 0: let them say something
        torch.nn.init.normal_(parameter)
    return model


@pytest.fixture
def ids():
    return torch.randint(10, (3, 7), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def everything():
    return torch.ones(1, 7, 7, dtype=torch.bool)


def test_without_order_attention_is_torchs_own():
    torch.manual_seed(1)
    ours = OrderedAttention(8, 2, Order())
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    theirs.in_proj_weight.data, theirs.in_proj_bias.data = ours.inward.weight, ours.inward.bias
    theirs.out_proj.load_state_dict(ours.outward.state_dict())
    words, mask = numbers(2, 5, 8), causal_mask(5, 5)
    output, weights = ours(words, mask[None])
    expected, expected_weights = theirs(
        words, words, words, attn_mask=~mask, average_attn_weights=False
    )
    assert torch.allclose(output, expected, atol=1e-6)
    assert torch.allclose(weights, expected_weights, atol=1e-6)


def test_a_bias_is_added_to_the_energies_as_torch_adds_a_float_mask():
    torch.manual_seed(1)
    bias = numbers(2, 5, 5)
    ours = OrderedAttention(8, 2, Order(bias=lambda queries, keys: bias))
    words = numbers(1, 5, 8)
    query, key, value = (
        part.view(1, 5, 2, 4).transpose(1, 2) for part in ours.inward(words).chunk(3, dim=-1)
    )
    expected = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    output, _ = ours(words, torch.ones(1, 5, 5, dtype=torch.bool))
    assert torch.allclose(output, ours.outward(expected.transpose(1, 2).flatten(2)), atol=1e-6)


def test_queries_and_keys_are_turned_and_values_are_not():
    turned = []
    ours = OrderedAttention(8, 2, Order(turn=lambda part: turned.append(part) or -part))
    words, mask = numbers(1, 4, 8), torch.ones(1, 4, 4, dtype=torch.bool)
    straight = OrderedAttention(8, 2, Order())
    straight.load_state_dict(ours.state_dict())
    # both change their sign, so their product does not
    assert torch.allclose(ours(words, mask)[0], straight(words, mask)[0])
    assert len(turned) == 2


def test_without_order_shuffled_words_give_shuffled_answers(ids, everything):
    model, shuffled = reader("none"), torch.tensor([3, 0, 6, 1, 5, 2, 4])
    answers = model(ids, everything)
    assert torch.allclose(model(ids[:, shuffled], everything), answers[:, shuffled], atol=1e-5)


@pytest.mark.parametrize("name", SCHEMES[1:])
def test_with_any_order_shuffled_words_give_other_answers(name, ids, everything):
    model, shuffled = reader(name), torch.tensor([3, 0, 6, 1, 5, 2, 4])
    answers = model(ids, everything)
    assert not torch.allclose(model(ids[:, shuffled], everything), answers[:, shuffled], atol=1e-2)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("mode", [True, False])
def test_with_a_causal_mask_nothing_moves_before_a_changed_word(name, mode, ids):
    model, changed = reader(name).train(mode), ids.clone()
    changed[:, 4:] = (changed[:, 4:] + 1) % 10
    before, after = (model(words, causal_mask(7, 7)[None]) for words in (ids, changed))
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


@pytest.mark.parametrize("name", SCHEMES)
def test_all_places_at_once_equals_one_beginning_after_the_other(name, ids):
    model = reader(name)
    together = model(ids, causal_mask(7, 7)[None])
    for length in range(1, 8):
        alone = model(ids[:, :length], causal_mask(length, length)[None])
        assert torch.allclose(alone[:, -1], together[:, length - 1], atol=1e-5)


@pytest.mark.parametrize("name", ["relative", "rotary", "ALiBi"])
def test_energies_of_schemes_in_the_energies_depend_on_the_distance_alone(name):
    attention = reader(name).attention[0]
    energy, _ = attention.energies(numbers(1, 1, 16).expand(1, 7, 16))
    assert torch.allclose(energy[..., 1:, 1:], energy[..., :-1, :-1], atol=1e-5)


def test_every_parameter_of_a_learned_order_gets_a_gradient_and_is_counted_once(ids, everything):
    for name, expected in (("learned", 12 * 16), ("relative", 2 * 9)):
        model = reader(name)
        model(ids, everything).sum().backward()
        assert sum(p.numel() for p in model.order.parameters()) == expected
        assert all(p.grad is not None for p in model.order.parameters())
        bare = sum(p.numel() for p in reader("none").parameters())
        assert sum(p.numel() for p in model.parameters()) == bare + expected


def test_only_the_learned_table_ends():
    longer = torch.zeros(1, 13, dtype=torch.long)
    for name in SCHEMES:
        model = reader(name)
        if name == "learned":
            with pytest.raises(ValueError, match="only 0 to 11 were learned"):
                model(longer, causal_mask(13, 13)[None])
        else:
            assert model(longer, causal_mask(13, 13)[None]).isfinite().all()


def test_steps_back_asks_for_the_word_so_many_places_before():
    task = steps_back(5, 8, back=3, seed=0)
    assert (task.answers[:, :3] == UNASKED).all()
    assert torch.equal(task.answers[:, 3:], task.ids[:, :5])


def test_last_value_is_found_by_hand():
    task = last_value(20, 15, seed=0)
    for words, answers in zip(task.ids.tolist(), task.answers.tolist(), strict=True):
        memory = {}
        for word, answer in zip(words, answers, strict=True):
            name, value = divmod(word, VALUES)
            assert answer == memory.get(name, UNASKED)
            memory[name] = value


def test_all_names_and_values_occur():
    assert set(last_value(50, 20, seed=0).ids.flatten().tolist()) == set(range(NAMES * VALUES))


def test_the_same_seed_gives_the_same_task():
    assert torch.equal(last_value(2, 9, seed=4).ids, last_value(2, 9, seed=4).ids)
    assert not torch.equal(steps_back(2, 9, 1, seed=4).ids, steps_back(2, 9, 1, seed=5).ids)


@pytest.mark.parametrize("back", [0, 8])
def test_a_distance_that_leaves_nothing_to_ask_is_refused(back):
    with pytest.raises(ValueError, match=f"{back} places back in sequences of 8"):
        steps_back(1, 8, back, seed=0)
