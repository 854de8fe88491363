"""`--language` and what follows from it: the model, the options of metrics, the settings of training."""

import json
import warnings

import pytest

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.metrics.names import language_options
from pfsm.model.shipped import load, model_for
from pfsm.text.language_names import NAMES, main_code
from pfsm.text.scripts import is_without_spaces
from tests.command_runs import Cli, Write, text

CHINESE, NEAR = "今天天气很好，我们去公园。\n", "今天天气好，我们去公园吧。\n"
GERMAN = (
    "reference\thypothesis\tscore\nDas Haus ist groß.\tDas Haus ist groß.\t3\nDer Hund schläft.\tKatzen.\t1\n"
)
SUBMIT = ("--metric-name", "m", "--language-pair", "en-zh", "--testset", "t", "-o", "sub")


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    for name, content in (
        ("zh.ref", CHINESE),
        ("zh.hyp", NEAR),
        ("de.ref", "Das Haus.\n"),
        ("de.hyp", "Haus.\n"),
    ):
        write(name, content)
    write("de.tsv", GERMAN)


LANGUAGES = {
    "german": "multi", "de-AT": "multi", "eng": "en", "en-GB": "en", "zho_Hant": "multi", "und": "multi",
}  # fmt: skip


def test_the_model_for_a_language() -> None:
    assert {language: model_for(language) for language in LANGUAGES} == LANGUAGES
    with pytest.raises(PfsmError, match=r"did you mean german\?"):
        model_for("Germann")
    for code, names in NAMES.items():
        assert {model_for(name) for name in (code, *names.split())} == {model_for(code)}
        assert {main_code(name) for name in (code, *names.split())} == {code}


def test_evaluate_takes_the_language_of_the_data(cli: Cli, write: Write) -> None:
    head, *rows = GERMAN.splitlines()

    def judged(name: str, *languages: str) -> str:
        lines = [f"{row}\t{language}" for row, language in zip(rows, languages, strict=True)]
        write(name, "\n".join([f"{head}\ttarget_lang", *lines]) + "\n")
        return name

    def model(*arguments: str) -> tuple[str, str]:
        done = cli("evaluate", *arguments, "--format", "json")
        return json.loads(done.out)["short_signature"].split(":")[1], done.err

    said = "pfsm: German, as the column target_lang says: model multi\n"
    assert model(judged("g.tsv", "deu", "German")) == ("multi", said)
    assert model("g.tsv", "--language", "Spanish")[0] == "multi"
    mixed = judged("mixed.tsv", "de", "es")
    assert "names several languages (de, es); give --model NAME" in cli("evaluate", mixed).fault
    assert model(mixed, "--model", "multi") == ("multi", "")
    assert model(mixed, "--language", "und")[0] == "multi"
    assert model(judged("odd.tsv", "de", ""))[0] == "en"


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_choose_the_model_and_say_so(cli: Cli, command: str) -> None:
    files = ("de.hyp", "de.ref") if command == "compare" else ("de.hyp",)
    done = cli(command, "de.ref", "-i", *files, "--language", "german")
    assert done.status == 0
    assert done.err == "pfsm: German: the model for any language, multi\n"
    assert "pfsm:multi:" in done.out
    assert cli(command, "de.ref", "-i", *files, "--language", "de", "--quiet").err == ""


@pytest.mark.parametrize("command", ["score", "evaluate"])
def test_a_model_for_english_says_that_the_text_does_not_look_english(
    cli: Cli, write: Write, command: str
) -> None:
    write("more.tsv", GERMAN + "Der Hund bellt.\tDer Hund.\t2\n")
    arguments = [command, *(["more.tsv"] if command == "evaluate" else ["de.ref", "-i", "de.hyp"])]
    said = "which the text does not look like; --language NAME chooses a model"
    done = cli(*arguments, "--model", "en-small")
    assert done.status == 0
    assert done.err.count(f"pfsm: warning: model en-small is for English, {said}\n") == 1
    for more in (("--language", "English"), ("--model", "multi"), ("--language", "de"), ("--metric", "bleu")):
        assert said not in cli(*arguments, *more).err


class TestScripts:
    def test_refused_in_one_line(self, cli: Cli, write: Write) -> None:
        write("zh.tsv", f"reference\thypothesis\tscore\n{CHINESE.strip()}\t{NEAR.strip()}\t1\n好的\t好\t2\n")
        pair = "\t".join((CHINESE.strip(), CHINESE.strip(), NEAR.strip()))
        write("zh.probe", f"kind\treference\tbetter\tworse\nx\t{pair}\n")
        for command in (
            ("score", "zh.ref", "-i", "zh.hyp"),
            ("compare", "zh.ref", "-i", "zh.hyp", "zh.ref"),
            ("evaluate", "zh.tsv"),
            ("mbr", "-i", "zh.ref", "-n", "2"),
            ("probe", "zh.probe"),
            ("submit", "zh.ref", "-i", "zh.hyp", *SUBMIT),
            ("score", "--table", "zh.tsv", "-o", "parts"),
        ):
            write("zh.ref", CHINESE + NEAR)
            write("zh.hyp", NEAR + CHINESE)
            assert "a script without them" in cli(*command, "--model", "en-small").fault
            assert cli(*command, "--model", "en-small", "--force").status == 0
        assert "a script without them" in cli("train", "zh.tsv", "-o", "m.json").fault

    def test_advice_is_new_to_who_gets_it(self, cli: Cli, write: Write) -> None:
        """Who names a language is not told to, where it does not help."""
        write("th", "ภาษาไทยไม่มีช่องว่าง\n")
        for given, said in (
            ((), "--language NAME chooses a tokeniser for Chinese and Japanese; --metric chrf compares"),
            (
                ("--language", "Thai"),
                "--language Thai does not change that; --metric chrf compares characters",
            ),
        ):
            assert said in cli("score", "th", "-i", "th", "--metric", "ter", *given).err
        for metric in ("chrf", "bleu"):
            assert cli("score", "th", "-i", "th", "--metric", metric, "--language", "Thai").status == 0

    def test_python_warns_once(self) -> None:
        metric = load("en-small", 1)
        with pytest.warns(PfsmWarning, match="finds words between spaces"):
            metric.score_pairs([NEAR], [CHINESE])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            metric.score_pairs([NEAR], [CHINESE])
            load("multi", 1).score_pairs([NEAR], [CHINESE])

    def test_which_scripts(self) -> None:
        for line in ["今天", "ひらがな", "ภาษาไทย", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာ", "བོད་ཡིག"]:
            assert is_without_spaces(line)
        mixed = "The 公园 sign, he said"
        for line in ("", "a", "한국어 문장", "שלום עולם", "مرحبا", "हिन्दी", "Привет", mixed):
            assert not is_without_spaces(line)


OPTIONS: list[tuple[str, str, dict[str, object]]] = [
    ("bleu", "Chinese", {"tokenize": "zh"}),
    ("bleu", "ja", {"tokenize": "ja-mecab"}),
    ("bleu", "kor", {"tokenize": "ko-mecab"}),
    ("bleu", "Thai", {"tokenize": "char"}),
    ("bleu", "de", {}),
    ("bleu(tokenize=intl)", "zh", {}),
    ("bleu(lowercase=true)", "zh", {"tokenize": "zh"}),
    ("ter", "zh", {"normalized": True, "asian_support": True}),
    ("meteor", "French", {"language": "fr"}),
    ("chrf", "zh", {}),
]


def test_options_of_metrics() -> None:
    for name, language, options in OPTIONS:
        assert language_options(name, language) == options


class TestTraining:
    def settings(self) -> tuple[str, str, str]:
        with open("m.json", encoding="utf-8") as file:  # noqa: PTH123
            found = json.load(file)["settings"]
        return found["language"], found["tokeniser"], found["stemmer"]

    def test_a_clear_word_where_nobody_says_it(self, cli: Cli) -> None:
        done = cli("train", "de.tsv", "-o", "m.json")
        assert done.err.startswith(
            "pfsm: warning: no language is given, so the text is read as English (Penn tokens"
        )
        assert done.err.count("\n") == 1
        assert self.settings() == ("en", "penn", "porter")

    def test_the_column(self, cli: Cli, write: Write) -> None:
        head, *lines = GERMAN.splitlines()
        write("t.tsv", text([f"{head}\ttarget_lang", *(f"{line}\tdeu" for line in lines)]))
        assert cli("train", "t.tsv", "-o", "m.json").err == "pfsm: German, as the column target_lang says\n"
        assert self.settings()[1:] == ("plain", "german")
        write("both.tsv", f"{head}\ttarget_lang\n{lines[0]}\tde\n{lines[1]}\ten\n")
        assert "names several languages (de, en)" in cli("train", "both.tsv", "-o", "m.json").fault
        assert cli("train", "both.tsv", "-o", "m.json", "--language", "und").status == 0
