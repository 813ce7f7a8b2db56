"""Two levels: words make a sentence, sentences make a text."""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention.pooling import AttentionPooling


class Levels(NamedTuple):
    """What two levels of attention read, and where.

    Attributes:
        text: one vector for the text, shape (batch, size).
        sentences: the weight of each sentence, shape (batch, sentence).
        words: the weight of each word within its sentence, shape (batch, sentence, word).
    """

    text: Float[Tensor, "batch size"]
    sentences: Float[Tensor, "batch sentence"]
    words: Float[Tensor, "batch sentence word"]


class HierarchicalAttention(nn.Module):
    """Attention over the words of each sentence, then over the sentences (Yang et al., 2016).

    The weights of the first level make a vector of each sentence, those of the second a vector of
    the text. In the paper a recurrent network reads the words before the first level, and another
    the sentences before the second; here the words come as they are.

    Args:
        size: width of a word vector.
        energy_size: width of the hidden layer of both questions.
    """

    def __init__(self, size: int, energy_size: int) -> None:
        super().__init__()
        self.of_words = AttentionPooling(size, energy_size)
        self.of_sentences = AttentionPooling(size, energy_size)

    def forward(
        self,
        words: Float[Tensor, "batch sentence word size"],
        mask: Bool[Tensor, "batch sentence word"],
    ) -> Levels:
        """Read the words, then the sentences.

        Args:
            words: vectors, shape (batch, sentence, word, size).
            mask: True where a word is real; a sentence without words is padding.
        """
        sentences, word_weights = self.of_words(words, mask)
        text, sentence_weights = self.of_sentences(sentences, mask.any(dim=-1))
        return Levels(text, sentence_weights, word_weights)
