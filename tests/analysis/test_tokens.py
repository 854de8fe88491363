from pfsm.english.tokens import words_of

WORDS = [
    ("They don't, we'll see.", "They do n't , we 'll see ."),
    ("A 15-year plan to co-operate.", "A 15 - year plan to co-operate ."),
    ("We cannot pay $20,000.50 (or £3)!", "We can not pay $ 20,000.50 ( or £ 3 ) !"),
    ("See https://a.example/x?y=1 or ann@b.example.", "See https://a.example/x?y=1 or ann@b.example ."),
    ("the dog's bone… and\u00a0Anna’s", "the dog 's bone … and Anna ’s"),
    ("the U.S. team at 5pm...", "the U.S. team at 5pm ..."),
    ("", ""),
]


def test_words() -> None:
    for line, words in WORDS:
        assert [word.form for word in words_of(line)] == words.split()


def test_every_character_belongs_to_one_word_whatever_the_line_is() -> None:
    line = "a\t\u2028«x»–'s n't 'll (: :-) <<>> \ud83d\ude00 _x_ --- '' .. http:// @ \x00 ½ don''t"
    found = words_of(line)
    assert "".join(word.form for word in found) == "".join(c for c in line if not c.isspace())
    assert all(line[word.start : word.end] == word.form for word in found)
