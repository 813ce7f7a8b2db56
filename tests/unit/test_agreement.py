"""Which noun decides the French gender of a word: read off sentences whose answer is plain."""

from seq2bert import corpus
from seq2bert.agreement import exchangeable_nouns, gendered_words


def words(text):
    pair = corpus.translate(text.split())
    return [
        (pair.source[w.source], pair.source[w.noun], w.feminine, w.part)
        for w in gendered_words(pair)
    ]


def test_nouns_decide_themselves_and_adjectives_have_the_noun_that_follows():
    assert words("the small red car is behind the old house .") == [
        ("small", "car", True, "adjective"),
        ("red", "car", True, "adjective"),
        ("car", "car", True, "noun"),
        ("old", "house", True, "adjective"),
        ("house", "house", True, "noun"),
    ]


def test_a_pronoun_has_the_gender_of_its_antecedent():
    found = words("the car stops because it is old .")
    assert ("it", "car", True, "pronoun") in found
    assert ("it", "train", False, "pronoun") in words("the train stops because it is old .")


def test_an_adjective_after_be_is_left_out():
    assert [word for word, *_ in words("the car is old .")] == ["car"]


def test_pronouns_that_show_their_gender_in_english_are_left_out():
    found = words("the boy sleeps because he is tired .")
    assert [word for word, *_ in found] == ["boy"]


def test_the_sense_decides_the_gender_of_a_noun():
    # a match that is found is an *allumette*, one that is watched a *match*
    assert ("match", "match", True, "noun") in words("the boy finds the match .")
    assert ("match", "match", False, "noun") in words("the boy watches the match .")


def exchanges(text):
    pair = corpus.translate(text.split())
    return [(pair.target[i], pair.target[j]) for i, j in exchangeable_nouns(pair)]


def test_nouns_of_one_gender_and_number_may_be_exchanged():
    assert exchanges("the king sees the dog in the house .") == [("roi", "chien")]


def test_nouns_that_differ_in_gender_or_number_may_not():
    assert exchanges("the king sees the queen .") == []
    assert exchanges("the king sees the dogs .") == []


def test_a_noun_is_not_exchanged_with_itself():
    assert exchanges("the king sees the king .") == []


def test_all_genders_of_the_corpus_agree_with_the_french_pronoun():
    checked = 0
    for pair in corpus.pairs("valid", 400):
        target_of = {pronoun.source: pronoun.target for pronoun in pair.antecedents}
        for word in gendered_words(pair):
            if word.part != "pronoun":
                continue
            french = pair.target[target_of[word.source]]
            if french in ("il", "ils", "elle", "elles"):
                assert french.startswith("elle") == word.feminine
                checked += 1
    assert checked > 20
