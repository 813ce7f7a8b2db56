"""A walk through an encoder-decoder is what its parts give one by one."""

import pytest
import torch

from seq2bert import decoding
from seq2bert.encoder_decoder import EncoderDecoder, Sizes
from seq2bert.stepping import walk
from seq2bert.vocabulary import Vocabulary

WORDS = Vocabulary([f"w{number}" for number in range(12)])
SENTENCE = ["w1", "w5", "nowhere", "w2"]


@pytest.fixture(params=["RNN", "GRU", "LSTM"])
def model(request):
    torch.manual_seed(5)
    return EncoderDecoder(len(WORDS), len(WORDS), request.param, sizes=Sizes(6, 7)).eval()


@pytest.fixture
def found(model):
    return walk(model, SENTENCE, WORDS, WORDS)


def along(model, found):
    """log p, s and o of every step, from the teacher-forced decoder."""
    ids = torch.tensor([WORDS.encode(SENTENCE)])
    memory = model.encode(ids, torch.ones_like(ids).bool())
    read = torch.tensor([WORDS.encode([moment.read for moment in found.moments])])
    hidden = {k: memory[k].unsqueeze(0) for k in ("hidden", "cell") if k in memory}
    start = tuple(hidden.values()) if len(hidden) > 1 else hidden["hidden"]
    states, _ = model.decoder(model.target_embedding(read), start)
    outputs = model.project(states)
    return memory, states[0], outputs[0], model.logits(outputs)[0].log_softmax(-1)


def test_it_writes_what_greedy_search_writes(model, found):
    (expected,) = decoding.greedy(model, [SENTENCE], WORDS, WORDS)
    assert found.tokens == expected.tokens
    assert found.moments[0].read == "<bos>"


def test_each_step_reads_what_the_one_before_it_wrote(found):
    written = [moment.written.token for moment in found.moments]
    assert [moment.read for moment in found.moments[1:]] == written[:-1]


def test_states_and_numbers_are_those_of_the_teacher_forced_decoder(model, found):
    with torch.no_grad():
        memory, states, outputs, log_probs = along(model, found)
        cosines = torch.cosine_similarity(outputs.unsqueeze(1), model.word_vectors, dim=-1)
    assert torch.allclose(found.encoder, memory["annotations"][0])
    assert torch.allclose(found.decoder, states, atol=1e-6)
    for step, moment in enumerate(found.moments):
        for word in (*moment.best, moment.written, moment.nearest):
            index = WORDS.encode([word.token])[0]
            dot = float(outputs[step] @ model.word_vectors[index].detach())
            assert word.dot == pytest.approx(dot, abs=1e-5)
            assert word.cosine == pytest.approx(float(cosines[step, index]), abs=1e-5)
            assert word.log_prob == pytest.approx(float(log_probs[step, index]), abs=1e-5)
        assert moment.nearest.token == WORDS.tokens[int(cosines[step].argmax())]


def test_the_best_words_are_those_with_the_largest_logits_in_order(found):
    for moment in found.moments:
        chances = [word.log_prob for word in moment.best]
        assert len(chances) == 8
        assert chances == sorted(chances, reverse=True)


def test_a_vector_of_zeros_has_the_cosine_0_with_everything(model):
    with torch.no_grad():
        model.project.weight.zero_()
    moment = walk(model, SENTENCE, WORDS, WORDS).moments[0]
    assert {word.cosine for word in moment.best} == {0.0}


def test_it_goes_on_from_the_words_that_it_is_given(model):
    forced = walk(model, SENTENCE, WORDS, WORDS, prefix=["w3", "w4", "<eos>"])
    assert forced.tokens == ("w3", "w4")
    assert [moment.read for moment in forced.moments] == ["<bos>", "w3", "w4"]


def test_it_stops_at_the_limit(model):
    with torch.no_grad():
        model.bias[WORDS.eos] = -1e4
    found = walk(model, SENTENCE, WORDS, WORDS)
    assert len(found.moments) == len(found.tokens) == 60


@pytest.mark.parametrize(
    ("source", "prefix", "said"),
    [([], (), "not empty"), (["w1"] * 61, (), "61 words"), (["w1"], ["zebra"], "zebra")],
)
def test_what_cannot_be_walked_is_refused(model, source, prefix, said):
    with pytest.raises(ValueError, match=said):
        walk(model, source, WORDS, WORDS, prefix=prefix)
