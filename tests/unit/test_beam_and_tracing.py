"""Beam search against greedy and exhaustive search; a trace against the model that made it."""

import itertools

import pytest
import torch

from seq2bert import beam, recurrent
from seq2bert.decoding import greedy
from seq2bert.tracing import trace
from seq2bert.translator import Interventions
from seq2bert.vocabulary import Vocabulary

SOURCE, TARGET = Vocabulary("abcde"), Vocabulary("xyz")
SENTENCES = [tuple("abc"), tuple("e"), tuple("ddba"), tuple("cabed")]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    return recurrent.with_attention(len(SOURCE), len(TARGET), recurrent.Sizes(8, 8, 6)).eval()


def memory_of(model, sentence):
    ids = torch.tensor([SOURCE.encode(sentence)])
    return model.encode(ids, torch.ones_like(ids, dtype=torch.bool))


@torch.no_grad()
def log_prob(model, sentence, tokens):
    ids = torch.tensor([SOURCE.encode(sentence)])
    written = torch.tensor([[TARGET.bos, *tokens[:-1]]])
    log_probs, _ = model(ids, torch.ones_like(ids, dtype=torch.bool), written)
    return float(log_probs[0].gather(1, torch.tensor(tokens).unsqueeze(1)).sum())


@torch.no_grad()
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_beam_of_one_is_greedy_search(model, sentence):
    (expected,) = greedy(model, [sentence], SOURCE, TARGET, max_length=6)
    found = beam.search(model, memory_of(model, sentence), TARGET, 1, max_length=6)[0]
    assert found.finished == expected.finished
    assert TARGET.decode(found.tokens[: len(expected.tokens)]) == expected.tokens
    assert found.log_prob == pytest.approx(expected.log_prob, abs=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_beam_of_all_is_exhaustive_search(model, sentence):
    limit, others = 3, [i for i in range(len(TARGET)) if i != TARGET.eos]
    everything = [
        (*body, TARGET.eos)
        for length in range(limit + 1)
        for body in itertools.product(others, repeat=length)
    ]
    best = max(everything, key=lambda t: log_prob(model, sentence, t) / len(t))
    width = len(TARGET) ** (limit + 1)
    found = beam.search(model, memory_of(model, sentence), TARGET, width, max_length=limit)
    done = [hypothesis for hypothesis in found if hypothesis.finished]
    assert len(done) == len(everything)
    assert done[0].tokens == best
    assert done[0].log_prob == pytest.approx(log_prob(model, sentence, best), abs=1e-4)


@torch.no_grad()
def test_a_finished_hypothesis_is_never_continued_and_a_limit_is_kept(model):
    for hypothesis in beam.search(model, memory_of(model, tuple("abc")), TARGET, 5, max_length=4):
        assert TARGET.eos not in hypothesis.tokens[:-1]
        assert len(hypothesis.tokens) - hypothesis.finished <= 4


def test_a_prefix_is_written_and_what_follows_is_chosen(model):
    free = trace(model, tuple("abc"), SOURCE, TARGET)
    forced = trace(model, tuple("abc"), SOURCE, TARGET, prefix=["z", "z"])
    assert forced.tokens[:2] == ("z", "z")
    again = trace(model, tuple("abc"), SOURCE, TARGET, prefix=free.tokens[:1])
    assert again.tokens == free.tokens


def test_a_trace_holds_the_weights_and_the_alternatives_of_each_step(model):
    found = trace(model, tuple("abcd"), SOURCE, TARGET, alternatives=3)
    assert found.attention["cross"].shape == (1, 1, len(found.steps), 4)
    assert torch.allclose(found.attention["cross"].sum(-1), torch.tensor(1.0))
    for step in found.steps:
        assert step.alternatives[0] == (step.token, step.log_prob)
        chances = [log_prob for _, log_prob in step.alternatives]
        assert chances == sorted(chances, reverse=True)


def test_energies_times_zero_look_everywhere_alike(model):
    found = trace(model, tuple("abcd"), SOURCE, TARGET, interventions=Interventions(scale=0.0))
    assert torch.allclose(found.attention["cross"], torch.tensor(0.25))


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ((), {}, "empty"),
        ("abc", {}, "list"),
        (("a",) * 61, {}, "61 words"),
        (("a",), {"prefix": ["?"]}, "prefix"),
    ],
)
def test_what_cannot_be_translated_is_refused(model, source, options, said):
    with pytest.raises(ValueError, match=said):
        trace(model, source, SOURCE, TARGET, **options)
