"""The code of the book *Attention, from seq2seq to BERT*.

Each module has one subject and is developed in one chapter. The package itself imports nothing,
so that the parts which need no torch (`seq2bert.corpus`, `seq2bert.attention_map`,
`seq2bert.pictures`, `seq2bert.widgets`) work where there is none.
"""

__version__ = "0.1.0"
