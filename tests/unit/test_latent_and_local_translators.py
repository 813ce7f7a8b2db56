"""Translators that read one annotation, or a window: protocol, padding, exact sums, training."""

import math

import pytest
import torch

from seq2bert import corpus, training
from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energy_layers import General
from seq2bert.attention.hard import Baseline, StraightThrough, best_key, lower_bound, sampled_key
from seq2bert.attention.local import PredictedCentre
from seq2bert.batching import make_batches, pad
from seq2bert.decoding import greedy
from seq2bert.latent import LowerBound, MarginalTranslator, Reinforce
from seq2bert.local_translator import LocalTranslator
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.translator import Interventions, Translator
from seq2bert.vocabulary import Vocabulary

SIZES = Sizes(embedding=6, hidden=8)
SENTENCES = [[4, 5, 6, 7, 8], [5, 4], [9], [8, 8, 6]]
TARGETS = [[1, 4, 5, 6], [1, 7, 8], [1, 9, 4], [1, 5, 5, 5]]


def make(kind="marginal", words=(12, 13)):
    torch.manual_seed(3)
    energy = General(SIZES.hidden, SIZES.hidden)
    if kind == "marginal":
        return MarginalTranslator(*words, energy, masked_softmax, SIZES).eval()
    if kind.startswith("local"):
        predictor = PredictedCentre(SIZES.hidden, 5) if kind == "local-p" else None
        return LocalTranslator(*words, energy, 1, predictor, SIZES).eval()
    function = {
        "soft": masked_softmax,
        "best": best_key,
        "sampled": sampled_key,
        "Gumbel": StraightThrough(),
    }
    return LuongTranslator(*words, energy, function[kind], SIZES).eval()


@pytest.fixture(params=["marginal", "best", "Gumbel", "local-m", "local-p"])
def model(request):
    return make(request.param)


def batch():
    source, mask = pad(SENTENCES, pad_id=0)
    return source, mask, pad(TARGETS, pad_id=0)[0]


def test_every_model_is_a_translator(model):
    assert isinstance(model, Translator)


def test_a_sentence_alone_equals_itself_in_a_padded_batch(model):
    together, attention = model(*batch())
    for row, (sentence, words) in enumerate(zip(SENTENCES, TARGETS, strict=True)):
        alone, own = model(*pad([sentence], pad_id=0), torch.tensor([words]))
        assert torch.allclose(together[row, : len(words)], alone[0], atol=1e-5)
        shared = attention["cross"][row, :, :, : len(words)]
        assert torch.allclose(shared[..., : len(sentence)], own["cross"][0], atol=1e-5)
        assert (shared[..., len(sentence) :] == 0).all()


def test_step_by_step_equals_teacher_forcing(model):
    source, mask, target = batch()
    forced, attention = model(source, mask, target)
    memory = model.encode(source, mask)
    state = model.start(memory)
    for t in range(target.shape[1]):
        log_probs, state, weights = model.step(target[:, t], state, memory)
        assert torch.allclose(log_probs, forced[:, t], atol=1e-5)
        assert torch.allclose(weights["cross"], attention["cross"][:, :, :, t : t + 1], atol=1e-5)


def test_what_is_predicted_adds_up_to_1(model):
    log_probs, _ = model(*batch())
    assert torch.allclose(log_probs.exp().sum(-1), torch.ones(log_probs.shape[:2]), atol=1e-5)


def test_hard_attention_reads_one_annotation():
    for kind in ("best", "sampled"):
        _, attention = make(kind)(*batch())
        assert ((attention["cross"] == 0) | (attention["cross"] == 1)).all()
        assert (attention["cross"].sum(-1) == 1).all()


def test_the_marginal_is_the_mean_over_single_readings_by_hand():
    """With attention forced onto one position, the soft model gives p(y | z = j)."""
    source, mask, target = (tensor[:1] for tensor in batch())
    mixture, attention = make("marginal")(source, mask, target)
    total = torch.zeros_like(mixture)
    for j in range(source.shape[1]):
        single = make("soft")
        single.distribution = lambda energy, _, j=j: (
            torch.nn.functional.one_hot(torch.tensor(j), energy.shape[-1]).float().expand_as(energy)
        )
        given, _ = single(source, mask, target)
        total += attention["cross"][:, 0, 0, :, j : j + 1] * given.exp()
    assert torch.allclose(mixture.exp(), total, atol=1e-6)


def test_the_mixture_of_predictions_is_not_the_prediction_of_the_mixture():
    hard, _ = make("marginal")(*batch())
    soft, _ = make("soft")(*batch())
    assert (hard - soft).abs().max() > 1e-3
    # where there is one word only, there is nothing to mix
    assert torch.allclose(hard[2], soft[2], atol=1e-5)


def test_interventions_reach_the_mixture():
    model = make("marginal")
    _, attention = model(*batch(), Interventions(scale=0.0))
    assert torch.allclose(attention["cross"][0], torch.tensor(1 / 5))
    plain, _ = model(*batch())
    off = Interventions(head_mask={"cross": torch.zeros(1, 1)})
    blind, _ = model(*batch(), off)
    assert not torch.allclose(plain, blind)
    cold, _ = model(*batch(), Interventions(temperature=1e-3))
    assert cold.exp().amax(-1).mean() > plain.exp().amax(-1).mean()


def test_local_m_sees_the_window_around_the_number_of_the_word():
    _, attention = make("local-m")(*batch())
    seen = (attention["cross"][0, 0, 0] > 0).int()
    assert seen.tolist() == [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 1, 1, 1]]
    # a sentence of one word: the third target word finds no source word in its window
    assert (attention["cross"][2, 0, 0, 2] == 0).all()


def test_a_window_over_everything_is_the_global_translator():
    local, globally = make("local-m"), make("soft")
    local.reach = 100
    assert torch.equal(local(*batch())[0], globally(*batch())[0])


def gradient(objective, target_out=5):
    objective.zero_grad()
    objective(*batch())[0][..., target_out].sum().backward()
    model = objective.model if hasattr(objective, "model") else objective
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


@pytest.mark.parametrize("with_baseline", [False, True])
def test_the_estimate_of_a_whole_translator_is_right_on_the_average(with_baseline):
    model = make("marginal")
    exact = gradient(LowerBound(model).train())
    baseline = Baseline(SIZES.hidden, 13) if with_baseline else None
    estimator = Reinforce(model, baseline, samples=40).train()
    torch.manual_seed(0)
    drawn = torch.stack([gradient(estimator) for _ in range(100)])
    error = drawn.std(dim=0) / 100**0.5
    moved = error > 1e-6
    assert moved.sum() > 300
    # of hundreds of coordinates some lie beyond 4 standard errors by chance, none beyond 5.5
    assert ((drawn.mean(dim=0) - exact)[moved].abs() / error[moved]).max() < 5.5
    assert torch.allclose(drawn.mean(dim=0)[~moved], exact[~moved], atol=1e-4)


def test_more_samples_lower_the_variance_as_their_number_says():
    model = make("marginal")
    variances = []
    for samples in (1, 8):
        torch.manual_seed(0)
        estimator = Reinforce(model, None, samples).train()
        drawn = torch.stack([gradient(estimator) for _ in range(100)])
        variances.append(drawn.var(dim=0).sum())
    assert 5.5 < variances[0] / variances[1] < 11


def test_in_eval_mode_every_objective_is_judged_by_the_mixture():
    model = make("marginal")
    expected, _ = model(*batch())
    for objective in (LowerBound(model), Reinforce(model, Baseline(SIZES.hidden, 13))):
        assert torch.equal(objective.eval()(*batch())[0], expected)


def test_the_bound_is_what_is_maximised():
    model = make("marginal")
    memory = model.encode(*batch()[:2])
    hidden = model.start(memory)["hidden"][None]
    states, _ = model.decoder(model.target_embedding(batch()[2]), hidden)
    expected = lower_bound(model.weigh(states, memory), model.given_each(states, memory))
    found, _ = LowerBound(model).train()(*batch())
    assert torch.allclose(found, expected)
    assert (found <= model(*batch())[0] + 1e-6).all()


def test_the_squared_error_of_the_baseline_and_the_entropy_by_their_gradients():
    model, baseline = make("marginal"), Baseline(SIZES.hidden, 13)
    torch.manual_seed(0)
    with_error, _ = Reinforce(model, baseline).train()(*batch())
    torch.manual_seed(0)
    without, _ = Reinforce(model, baseline, baseline_weight=0.0).train()(*batch())
    assert torch.equal(with_error, without)  # no value
    with_error[..., 5].sum().backward()
    guess, found = baseline.linear.bias.item(), without[..., 5].detach()
    expected = (-0.05 * 2 * (guess - found)).sum()  # grad of -0.05 (log p - b)^2 by b
    assert baseline.linear.bias.grad.item() == pytest.approx(expected.item(), rel=1e-4)
    torch.manual_seed(0)
    more, _ = Reinforce(model, None, entropy_weight=0.5).train()(*batch())
    assert ((more - without.detach()) > 0).sum() > 0


def test_a_sentence_without_words_keeps_everything_finite():
    source = torch.tensor([[4, 5], [0, 0]])
    mask = torch.tensor([[True, True], [False, False]])
    target = torch.tensor([[1, 4], [1, 4]])
    model = make("marginal")
    modules = (
        LowerBound(model),
        Reinforce(model, Baseline(SIZES.hidden, 13), samples=2, entropy_weight=0.1),
        make("marginal"),
        make("Gumbel"),
        make("local-m"),
        make("local-p"),
    )
    for module in modules:
        module.train()
        log_probs, _ = module(source, mask, target)
        log_probs[..., 5].sum().backward()
        assert torch.isfinite(log_probs).all()
        assert all(torch.isfinite(p.grad).all() for p in module.parameters() if p.grad is not None)


def test_nothing_drawn_is_refused():
    with pytest.raises(ValueError, match="samples is 0; expected at least 1"):
        Reinforce(make("marginal"), samples=0)


@pytest.mark.parametrize("kind", ["bound", "reinforce", "Gumbel", "local-p"])
def test_every_kind_trains_in_the_common_loop_and_writes_sentences(kind):
    english, french = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
    pairs = corpus.pairs("train", 32)
    batches = make_batches(pairs, english, french, 8)
    words = len(english), len(french)
    model = make(kind if kind in ("Gumbel", "local-p") else "marginal", words)
    trained = {
        "bound": LowerBound,
        "reinforce": lambda model: Reinforce(model, Baseline(SIZES.hidden, len(french))),
    }.get(kind, lambda model: model)(model)
    settings = training.Settings(epochs=3, checks=1, learning_rate=2e-2)
    history = training.fit(trained, batches, batches, settings, device="cpu")
    assert history[-1].valid_loss < math.log(len(french)) - 0.3
    assert len(greedy(model, [p.source for p in pairs[:3]], english, french, max_length=5)) == 3
