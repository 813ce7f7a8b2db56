"""Words and numbers: which integer stands for which token."""

from collections import Counter
from collections.abc import Iterable, Sequence

PAD, BOS, EOS, UNK = "<pad>", "<bos>", "<eos>", "<unk>"
SPECIALS = (PAD, BOS, EOS, UNK)


class Vocabulary:
    """A fixed list of tokens; a token's id is its place in the list.

    The four special tokens come first. `<pad>` fills a batch up, `<bos>` and `<eos>` begin and
    end a target sentence, `<unk>` stands for every word that is not in the list.

    Args:
        words: the ordinary tokens, in order, each once.
        specials: the special tokens in the order of their ids.

    Raises:
        ValueError: there are no words, a word is no string, empty or given twice, or a special
            token is missing or stands among the words.
    """

    def __init__(self, words: Iterable[str], specials: Sequence[str] = SPECIALS) -> None:
        words = tuple(words)
        if set(specials) != set(SPECIALS) or len(specials) != len(SPECIALS):
            raise ValueError(f"specials are {specials!r}; expected {SPECIALS!r} in some order")
        if not words:
            raise ValueError("no words; a vocabulary needs at least one: is the corpus empty?")
        for word in words:
            if not isinstance(word, str) or not word:
                raise ValueError(f"{word!r} is no word; expected strings that are not empty")
        twice = [word for word, count in Counter(words + tuple(specials)).items() if count > 1]
        if twice:
            raise ValueError(f"{twice[0]!r} stands twice in the vocabulary; give each token once")
        self.tokens: tuple[str, ...] = tuple(specials) + words
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        self.pad, self.bos, self.eos, self.unk = (self._ids[token] for token in SPECIALS)

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]]) -> "Vocabulary":
        """The vocabulary of some sentences, in alphabetical order (so that it is reproducible).

        Raises:
            ValueError: a sentence is a string rather than a sequence of tokens, or there are none.
        """
        words: set[str] = set()
        for sentence in sentences:
            if isinstance(sentence, str):
                raise ValueError(f"{sentence!r} is a string; split it into tokens first")
            words.update(sentence)
        return cls(sorted(words - set(SPECIALS)))

    def __len__(self) -> int:
        """How many tokens there are, the special ones included."""
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        """Whether the token has an id of its own."""
        return token in self._ids

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The ids of some tokens; unknown ones get the id of `<unk>`.

        Raises:
            ValueError: the tokens come as one string.
        """
        if isinstance(tokens, str):
            raise ValueError(f"{tokens!r} is a string; split it into tokens first")
        return [self._ids.get(token, self.unk) for token in tokens]

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The tokens of some ids, special tokens included.

        Raises:
            ValueError: an id lies outside the vocabulary.
        """
        tokens = []
        for index in ids:
            if not 0 <= int(index) < len(self.tokens):
                raise ValueError(f"id {int(index)} is none of 0 to {len(self.tokens) - 1}")
            tokens.append(self.tokens[int(index)])
        return tuple(tokens)
