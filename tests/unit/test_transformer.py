"""The Transformer: equal to torch's layers, blind for the future, the same at once and stepwise."""

import itertools

import pytest
import torch
from torch import nn

from seq2bert import tracing, transformer
from seq2bert.decoding import forced_maps, greedy, translate
from seq2bert.transformer import Asked, DecoderLayer, EncoderLayer, Sizes, Transformer, causal_mask
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator, select
from seq2bert.vocabulary import Vocabulary

SIZES = Sizes(width=12, heads=3, hidden=20, layers=2, most=30)
PLAIN = Asked(1.0, {})
LENGTHS = torch.tensor([5, 2, 4])
SOURCE = Vocabulary(list("abcdefgh"))
TARGET = Vocabulary(list("ABCDEFG"))


def new_model(sizes=SIZES, seed=0):
    torch.manual_seed(seed)
    return Transformer(len(SOURCE), len(TARGET), sizes).eval()


def ids(batch=3, length=5, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(4, 11, (batch, length), generator=generator)


def real(lengths, most):
    return torch.arange(most) < lengths.unsqueeze(1)


def copy_attention(ours, theirs):
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


@torch.no_grad()
def torch_encoder_layer(ours):
    sizes = SIZES
    theirs = nn.TransformerEncoderLayer(
        sizes.width,
        sizes.heads,
        sizes.hidden,
        dropout=0.0,
        batch_first=True,
        norm_first=ours.around_attention.pre_norm,
    )
    copy_attention(ours.attention, theirs.self_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.inner.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.outer.state_dict())
    theirs.norm1.load_state_dict(ours.around_attention.norm.state_dict())
    theirs.norm2.load_state_dict(ours.around_feed_forward.norm.state_dict())
    return theirs


@torch.no_grad()
def torch_decoder_layer(ours):
    sizes = SIZES
    theirs = nn.TransformerDecoderLayer(
        sizes.width,
        sizes.heads,
        sizes.hidden,
        dropout=0.0,
        batch_first=True,
        norm_first=ours.around_self_attention.pre_norm,
    )
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_attention(ours.cross_attention, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.inner.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.outer.state_dict())
    theirs.norm1.load_state_dict(ours.around_self_attention.norm.state_dict())
    theirs.norm2.load_state_dict(ours.around_cross_attention.norm.state_dict())
    theirs.norm3.load_state_dict(ours.around_feed_forward.norm.state_dict())
    return theirs


def sizes_with(**changes):
    return Sizes(**(vars(SIZES) | changes))


def trained_looking(layer):
    """Norms that do something: as they begin, they would hide a mistake in copying."""
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return layer


@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("lengths", [LENGTHS, torch.tensor([5, 5, 5])])
def test_encoder_layer_equals_torch(pre_norm, lengths):
    ours = trained_looking(EncoderLayer(sizes_with(pre_norm=pre_norm)))
    theirs = torch_encoder_layer(ours)
    mask = real(lengths, 5)
    words = torch.randn(3, 5, SIZES.width, requires_grad=True)
    other = words.detach().clone().requires_grad_()
    found, _ = ours(words, mask.unsqueeze(1), PLAIN)
    expected = theirs(other, src_key_padding_mask=~mask)
    assert torch.allclose(found[mask], expected[mask], atol=1e-5)
    found[mask].square().sum().backward()
    expected[mask].square().sum().backward()
    assert torch.allclose(words.grad, other.grad, atol=1e-4)
    assert torch.allclose(
        ours.feed_forward.inner.weight.grad, theirs.linear1.weight.grad, atol=1e-4
    )


@pytest.mark.parametrize(
    ("pre_norm", "causal", "padded"), list(itertools.product([True, False], repeat=3))
)
def test_decoder_layer_equals_torch(pre_norm, causal, padded):
    ours = trained_looking(DecoderLayer(sizes_with(pre_norm=pre_norm)))
    theirs = torch_decoder_layer(ours)
    source_mask = real(LENGTHS, 5) if padded else torch.ones(3, 5, dtype=torch.bool)
    allowed = causal_mask(4, 4) if causal else torch.ones(4, 4, dtype=torch.bool)
    words = torch.randn(3, 4, SIZES.width, requires_grad=True)
    source = torch.randn(3, 5, SIZES.width, requires_grad=True)
    other, other_source = (x.detach().clone().requires_grad_() for x in (words, source))
    none = torch.empty(3, SIZES.heads, 0, SIZES.width // SIZES.heads)
    found, _, weights = ours(
        words,
        (none, none),
        ours.cross_attention.read(source, source),
        (allowed.expand(3, -1, -1), source_mask.unsqueeze(1)),
        PLAIN,
    )
    expected = theirs(other, other_source, tgt_mask=~allowed, memory_key_padding_mask=~source_mask)
    assert torch.allclose(found, expected, atol=1e-5)
    found.square().sum().backward()
    expected.square().sum().backward()
    assert torch.allclose(words.grad, other.grad, atol=1e-4)
    assert torch.allclose(source.grad, other_source.grad, atol=1e-4)
    assert (weights["cross"][~source_mask[:, None, None].expand_as(weights["cross"])] == 0).all()


def test_it_is_a_translator():
    assert isinstance(new_model(), Translator)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
def test_no_word_sees_what_comes_after_it(training, gradients):
    """Another word at place 3: not a bit of what is said before it changes."""
    model = new_model().train(training)
    source, target = ids(), ids(length=6, seed=2)
    changed = target.clone()
    changed[:, 3] = (changed[:, 3] - 3) % 7 + 4
    assert (changed[:, 3] != target[:, 3]).all()
    with torch.set_grad_enabled(gradients):
        before, _ = model(source, real(LENGTHS, 5), target)
        after, _ = model(source, real(LENGTHS, 5), changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3:], after[:, 3:])


def test_without_the_causal_mask_it_leaks():
    """What the test above looks for is really there to be found."""
    model = new_model()
    source, target = ids(), ids(length=6, seed=2)
    changed = target.clone()
    changed[:, 5] = (changed[:, 5] - 3) % 7 + 4
    looking = Interventions(causal=False)
    before, attention = model(source, real(LENGTHS, 5), target, looking)
    after, _ = model(source, real(LENGTHS, 5), changed, looking)
    assert not torch.allclose(before[:, :5], after[:, :5])
    assert (attention["decoder"] > 0).all()


def stepwise(model, target, memory, state, interventions=NO_INTERVENTIONS):
    rows, maps = [], []
    for token in target.unbind(1):
        log_probs, state, attention = model.step(token, state, memory, interventions)
        rows.append(log_probs)
        maps.append(attention)
    return torch.stack(rows, dim=1), maps


CHANGED = Interventions(
    {
        "encoder": torch.tensor([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]),
        "decoder": torch.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
        "cross": torch.tensor([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0]]),
    },
    scale=1.7,
    temperature=0.6,
)


@pytest.mark.parametrize("interventions", [NO_INTERVENTIONS, CHANGED], ids=["plain", "changed"])
@pytest.mark.parametrize("pre_norm", [True, False])
@torch.no_grad()
def test_teacher_forced_equals_step_by_step(interventions, pre_norm):
    model = new_model(sizes_with(pre_norm=pre_norm))
    source, mask, target = ids(), real(LENGTHS, 5), ids(length=6, seed=2)
    forced, attention = model(source, mask, target, interventions)
    memory = model.encode(source, mask, interventions)
    stepped, maps = stepwise(model, target, memory, model.start(memory), interventions)
    assert torch.allclose(forced, stepped, atol=1e-5)
    for place, found in enumerate(maps):
        cross, own = attention["cross"][:, :, :, place], attention["decoder"][:, :, :, place]
        assert torch.allclose(found["cross"][:, :, :, 0], cross, atol=1e-6)
        assert torch.allclose(found["decoder"][:, :, :, 0], own[..., : place + 1], atol=1e-6)
        assert (own[..., place + 1 :] == 0).all()


@torch.no_grad()
def test_from_any_prefix_and_after_a_new_start_the_cache_gives_the_same():
    model = new_model()
    source, mask, target = ids(), real(LENGTHS, 5), ids(length=6, seed=2)
    memory = model.encode(source, mask)
    whole, _ = stepwise(model, target, memory, model.start(memory))
    for prefix in range(1, 6):
        _, state, _ = model.write(target[:, :prefix], model.start(memory), memory)
        assert state["key"].shape[3] == prefix
        rest, _ = stepwise(model, target[:, prefix:], memory, state)
        assert torch.allclose(rest, whole[:, prefix:], atol=1e-5)
    again, _ = stepwise(model, target, memory, model.start(memory))
    assert torch.equal(again, whole)


@torch.no_grad()
def test_places_go_on_in_a_cache():
    """The same word again and again is told apart by its place alone."""
    model = new_model()
    source, mask = ids(), real(LENGTHS, 5)
    memory = model.encode(source, mask)
    same = torch.full((3, 4), 5)
    stepped, _ = stepwise(model, same, memory, model.start(memory))
    assert torch.allclose(stepped, model(source, mask, same)[0], atol=1e-5)
    first, second = stepped[:, 0], stepped[:, 1]
    assert not torch.allclose(first, second, atol=1e-3)


@torch.no_grad()
def test_a_state_can_be_reordered_like_any_other():
    model = new_model()
    source, mask, target = ids(), real(LENGTHS, 5), ids(length=3, seed=2)
    memory = model.encode(source, mask)
    _, state, _ = model.write(target, model.start(memory), memory)
    order = torch.tensor([2, 0, 2])
    moved = model.step(target[order, 0], select(state, order), select(memory, order))[0]
    assert torch.allclose(moved, model.step(target[:, 0], state, memory)[0][order], atol=1e-6)


@torch.no_grad()
def test_padding_of_the_source_changes_nothing():
    model = new_model()
    source, target = ids(batch=1), ids(batch=1, length=4, seed=2)
    alone, attention = model(source, torch.ones_like(source, dtype=torch.bool), target)
    padded = torch.cat([source, torch.full((1, 3), 9)], dim=1)
    among, wider = model(padded, real(torch.tensor([5]), 8), target)
    assert torch.allclose(alone, among, atol=1e-5)
    for kind in ("encoder", "cross"):
        assert (wider[kind][..., 5:] == 0).all()
    assert (wider["encoder"][..., 5:, :] == 0).all()
    assert torch.allclose(attention["cross"], wider["cross"][..., :5], atol=1e-6)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@torch.no_grad()
def test_a_head_that_is_off_adds_nothing(kind):
    """As if its columns of the output matrix were 0."""
    model = new_model()
    source, mask, target = ids(), real(LENGTHS, 5), ids(length=4, seed=2)
    factors = torch.ones(2, 3)
    factors[1, 2] = 0
    off, _ = model(source, mask, target, Interventions({kind: factors}))
    layer = (model.encoder if kind == "encoder" else model.decoder)[1]
    names = {"encoder": "attention", "decoder": "self_attention", "cross": "cross_attention"}
    getattr(layer, names[kind]).output.weight[:, 8:12] = 0
    assert torch.allclose(off, model(source, mask, target)[0], atol=1e-6)


@torch.no_grad()
def test_scale_zero_looks_everywhere_alike():
    model = new_model()
    _, attention = model(ids(), real(LENGTHS, 5), ids(length=4), Interventions(scale=0.0))
    assert torch.allclose(attention["cross"][1, 0, 0, 0], torch.tensor([0.5, 0.5, 0, 0, 0]))
    assert torch.allclose(attention["decoder"][0, 1, 2, 2], torch.tensor([1, 1, 1, 0]) / 3)


def test_energies_scaled_by_a_hundred_thousand_leave_masked_weights_exactly_zero():
    model = new_model()
    log_probs, attention = model(ids(), real(LENGTHS, 5), ids(length=4), Interventions(scale=1e5))
    assert torch.isfinite(log_probs).all()
    assert (attention["cross"][1, ..., 2:] == 0).all()
    assert (attention["decoder"].triu(1) == 0).all()


def test_a_source_without_words_is_written_about_all_the_same():
    """The house rule: a row without keys is all 0, with finite gradients."""
    model = new_model()
    mask = real(torch.tensor([5, 0, 4]), 5)
    log_probs, attention = model(ids(), mask, ids(length=4))
    log_probs.sum().backward()
    assert torch.isfinite(log_probs).all()
    assert (attention["cross"][1] == 0).all()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_one_sentence_more_than_the_heads_or_as_many_changes_nothing():
    """A batch as large as the number of heads is where a wrong broadcast would go unnoticed."""
    model = new_model()
    source, mask, target = ids(), real(LENGTHS, 5), ids(length=4)
    together, _ = model(source, mask, target)
    for row in range(3):
        cut = slice(row, row + 1)
        alone, _ = model(source[cut], mask[cut], target[cut])
        assert torch.allclose(alone[0], together[row], atol=1e-5)


def test_a_sentence_of_the_maximum_length_works_and_one_over_is_told():
    model = new_model()
    longest = ids(batch=1, length=SIZES.most)
    mask = torch.ones(1, SIZES.most, dtype=torch.bool)
    assert model(longest, mask, longest)[0].shape == (1, SIZES.most, len(TARGET))
    over = ids(batch=1, length=SIZES.most + 1)
    with pytest.raises(ValueError, match="31 tokens, but this model has only 30"):
        model(over, torch.ones_like(over, dtype=torch.bool), longest)


@pytest.mark.parametrize(
    "changes", [{"heads": 5}, {"width": 0}, {"layers": 0}, {"dropout": 1.0}, {"hidden": -1}]
)
def test_sizes_that_do_not_fit_are_refused(changes):
    with pytest.raises(ValueError, match="expected"):
        sizes_with(**changes)


def test_words_begin_with_the_size_that_is_asked_for():
    for scale, expected in ((None, 1.0), (1.0, 8.0)):
        model = Transformer(4000, 4000, Sizes(word_scale=scale))
        words = model.source_embedding.weight * model.sizes.width**0.5
        assert words.std().item() == pytest.approx(expected, rel=0.02)


def test_the_words_of_the_target_are_one_table():
    model = new_model()
    assert "output.weight" not in model.state_dict()
    log_probs, _ = model(ids(), real(LENGTHS, 5), ids(length=2))
    log_probs[..., 7].sum().backward()
    assert model.target_embedding.weight.grad[7].abs().sum() > 0


def words(rows):
    return [[SOURCE.tokens[i] for i in row] for row in rows.tolist()]


@torch.no_grad()
def test_greedy_gives_the_same_alone_and_in_a_batch_with_all_three_kinds():
    model = new_model()
    sources = [row[:length] for row, length in zip(words(ids()), [5, 2, 4], strict=True)]
    together = greedy(model, sources, SOURCE, TARGET, max_length=7)
    assert [t.tokens for t in translate(model, sources, SOURCE, TARGET, max_length=7)] == [
        t.tokens for t in together
    ]
    for source, found in zip(sources, together, strict=True):
        (alone,) = greedy(model, [source], SOURCE, TARGET, max_length=7)
        assert alone.tokens == found.tokens
        for kind in ("encoder", "decoder", "cross"):
            assert torch.allclose(alone.attention[kind], found.attention[kind], atol=1e-5)
            assert found.map(kind).weights.shape[2:] == found.attention[kind].shape[2:] or (
                found.finished
            )


@torch.no_grad()
def test_a_trace_holds_all_three_kinds_with_their_tokens():
    model = new_model(sizes_with(most=tracing.LONGEST_TARGET + 1))
    source = words(ids(batch=1))[0]
    found = tracing.trace(model, source, SOURCE, TARGET, width=2)
    queries = tuple(step.token for step in found.steps)
    assert found.map("encoder").key_tokens == tuple(source)
    assert found.map("decoder").query_tokens == queries
    assert found.map("decoder").key_tokens == ("<bos>", *queries)[: len(queries)]
    assert found.map("cross").key_tokens == tuple(source)
    target_in = torch.tensor([[TARGET.bos, *TARGET.encode(queries)][: len(queries)]])
    _, attention = model(ids(batch=1), torch.ones(1, 5, dtype=torch.bool), target_in)
    for kind, weights in attention.items():
        assert torch.allclose(weights[0], found.attention[kind], atol=1e-5)


def test_forced_maps_have_the_tokens_of_their_kind():
    class Pair:
        source, target = ("a", "b", "c"), ("A", "B")
        sure = possible = frozenset({(0, 0)})

    model = new_model()
    for kind, shape, sure in (
        ("encoder", (2, 3, 3, 3), frozenset()),
        ("decoder", (2, 3, 2, 2), frozenset()),
        ("cross", (2, 3, 2, 3), frozenset({(0, 0)})),
    ):
        (found,) = forced_maps(model, [Pair()], SOURCE, TARGET, kind)
        assert found.shape == shape
        assert found.sure == sure
    assert found.key_tokens == ("a", "b", "c")


def test_causal_mask_by_hand():
    assert transformer.causal_mask(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert transformer.causal_mask(1, 3, start=2).tolist() == [[True, True, True]]
