"""The table model, the list of all it can write, the exact search: against hand calculation."""

import math

import pytest
import torch

from seq2bert import beam, exact, recurrent
from seq2bert.decoding import greedy
from seq2bert.table_model import TableModel
from seq2bert.vocabulary import Vocabulary

WORDS = Vocabulary(["le", "un", "chat", "dort"])
FOLLOWS = {
    "<bos>": {"un": 6, "le": 4},
    "un": {"chat": 0.5, "dort": 0.5},
    "le": {"chat": 1},
    "chat": {"dort": 0.75, "<eos>": 0.25},
}
SOURCE = Vocabulary("abc")


def memory_of(model, vocabulary=SOURCE, sentence="a"):
    ids = torch.tensor([vocabulary.encode(list(sentence))])
    return model.encode(ids, torch.ones_like(ids, dtype=torch.bool))


def text(tokens):
    return " ".join(WORDS.decode(tokens))


@pytest.fixture(scope="module")
def table():
    return TableModel.of(FOLLOWS, WORDS)


def random_table(seed, words=3):
    vocabulary = Vocabulary("abcdefgh"[:words])
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(len(vocabulary), len(vocabulary), generator=generator)
    logits[:, [vocabulary.pad, vocabulary.bos, vocabulary.unk]] = -torch.inf
    return TableModel(logits.log_softmax(-1)), vocabulary


def test_all_that_a_table_writes_as_counted_by_hand(table):
    found = exact.exhaustive(table, memory_of(table), WORDS, 4)
    assert {text(tokens): pytest.approx(math.exp(p)) for tokens, p in found.items()} == {
        "un dort <eos>": 0.6 * 0.5,
        "le chat dort <eos>": 0.4 * 0.75,
        "un chat dort <eos>": 0.6 * 0.5 * 0.75,
        "le chat <eos>": 0.4 * 0.25,
        "un chat <eos>": 0.6 * 0.5 * 0.25,
    }
    assert sum(map(math.exp, found.values())) == pytest.approx(1.0)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_the_limit_of_the_list_counts_words_without_the_end(table):
    found = exact.exhaustive(table, memory_of(table), WORDS, 2)
    assert set(map(text, found)) == {"un dort <eos>", "le chat <eos>", "un chat <eos>"}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_a_beam_of_all_finds_the_best_of_the_list_at_every_length_penalty(seed, penalty):
    model, vocabulary = random_table(seed)
    limit = 4
    listed = exact.exhaustive(model, memory_of(model), vocabulary, limit)
    best = max(listed, key=lambda tokens: listed[tokens] / len(tokens) ** penalty)
    everything = len(vocabulary) ** (limit + 1)
    found = beam.search(
        model, memory_of(model), vocabulary, everything, (), limit, length_penalty=penalty
    )
    done = {h.tokens: h.log_prob for h in found if h.finished}
    assert found[0].tokens == best
    assert done == pytest.approx(listed)


@pytest.mark.parametrize("seed", range(20))
def test_the_exact_search_finds_the_most_probable_of_the_list(seed):
    model, vocabulary = random_table(seed)
    limit = 5
    listed = exact.exhaustive(model, memory_of(model), vocabulary, limit)
    anything = min(listed.values())
    found = exact.most_probable(model, memory_of(model), vocabulary, anything, limit)
    best = next(iter(listed))
    assert (found.tokens, found.finished) == (best, True)
    assert found.log_prob == pytest.approx(listed[best], abs=1e-5)


def test_the_exact_search_says_when_there_is_too_much_to_look_at():
    model, vocabulary = random_table(0)
    assert exact.most_probable(model, memory_of(model), vocabulary, -30.0, 8, largest=2) is None


@torch.no_grad()
def test_the_exact_search_is_never_worse_than_what_is_known():
    torch.manual_seed(5)
    target = Vocabulary("xyz")
    model = recurrent.with_attention(len(SOURCE), len(target), recurrent.Sizes(8, 8, 6)).eval()
    for sentence in ("abc", "c", "cabba"):
        memory = memory_of(model, SOURCE, sentence)
        done = [h.log_prob for h in beam.search(model, memory, target, 64, (), 4) if h.finished]
        found = exact.most_probable(model, memory, target, max(done), 4)
        listed = exact.exhaustive(model, memory, target, 4)
        assert found.tokens == next(iter(listed))
        assert found.log_prob >= max(done) - 1e-6


def test_what_has_probability_0_is_never_kept(table):
    found = beam.search(table, memory_of(table), WORDS, 50, (), 4)
    assert all(h.log_prob > -math.inf for h in found)
    assert len(found) == 5


def test_a_table_speaks_the_protocol_of_translators(table):
    one, two = greedy(table, [["a"], ["b", "c"]], SOURCE, WORDS)
    assert one.tokens == two.tokens == ("un", "chat", "dort")
    assert one.log_prob == pytest.approx(math.log(0.6 * 0.5 * 0.75))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: TableModel.of({"un": {"chat": 1}}, WORDS), "nothing follows <bos>"),
        (lambda: TableModel.of({"<bos>": {"chien": 1}}, WORDS), "'chien' is not in"),
        (lambda: TableModel(torch.zeros(3, 3)), "row 0 adds up to 3"),
        (lambda: exact.exhaustive(*_of(0), 0), "max_length is 0"),
        (lambda: exact.most_probable(*_of(0), 0.5), "known is 0.5"),
        (lambda: exact.most_probable(*_of(0), -math.inf), "known is -inf"),
    ],
)
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def _of(seed):
    model, vocabulary = random_table(seed)
    return model, memory_of(model), vocabulary
