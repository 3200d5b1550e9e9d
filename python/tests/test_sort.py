"""Sorting a list by judges."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import rather
from rather import JudgeError, ParameterError, Study

#: Twelve words, the longer the better, in no order.
WORDS = ["x" * n for n in (7, 3, 11, 1, 9, 5, 2, 12, 8, 4, 10, 6)]


def longer(left, right):
    return len(left) > len(right)


def displaced(found, best_first):
    """By how many places items stand elsewhere, in sum."""
    return sum(abs(place - best_first.index(item)) for place, item in enumerate(found.items))


def test_a_list_is_sorted():
    asked = []

    def judge(left, right):
        asked.append((left, right))
        return "left" if longer(left, right) else "right"

    found = rather.sort(WORDS, judge, budget=33, seed=1)
    assert displaced(found, sorted(WORDS, key=len, reverse=True)) <= 4 and found.items[0] == WORDS[7]
    assert (found.answers, found.budget, found.calls, found.stop, found.study) == (33, 33, 33, "budget", None)
    assert len(asked) == 33 and {item for pair in asked for item in pair} == set(WORDS)
    first = found[0]
    assert (first.rank, first.item, first.probability_top) == (1, WORDS[7], None)
    assert first.rank_low == 1 and first.rank_high < len(WORDS) and 0.5 < first.probability_best == max(place.probability_best for place in found)
    assert sum(place.probability_best for place in found) == pytest.approx(1.0)
    columns = found.to_dict()
    assert columns["item"] == found.items and columns["rank"] == list(range(1, 13)) and len(found) == 12
    assert repr(found).splitlines()[0].split() == ["rank", "item", "utility", "sd", "ranks", "P(best)"]
    assert found._repr_html_().count("<tr>") == 13
    assert [(judge.name, judge.answers, judge.failures, judge.skipped, judge.noise) for judge in found.judges] == [("judge", 33, 0, 0, None)]


def test_the_same_call_asks_the_same():
    runs = []
    for _ in range(2):
        asked = []
        found = rather.sort(WORDS, lambda left, right: asked.append((left, right)) or longer(left, right), budget=20, seed=5)
        runs.append((asked, found.to_dict()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "items, say",
    [
        (WORDS, lambda left, right: left if longer(left, right) else right),
        (WORDS, lambda left, right: 1 if longer(left, right) else -1),
        (WORDS, lambda left, right: np.bool_(longer(left, right))),
        (WORDS, lambda left, right: np.float64(1.0) if longer(left, right) else np.int8(-1)),
        (WORDS, lambda left, right: "[[A>B]]" if longer(left, right) else " B "),
        (list(range(12)), max),
        (np.arange(12), lambda left, right: np.int64(max(left, right))),
        (["left", "right", "tie", "skip"], lambda left, right: max(left, right)),
        ([{"size": n} for n in range(12)], lambda left, right: max(left, right, key=lambda item: item["size"])),
        ([np.full(3, n) for n in range(12)], lambda left, right: left if left[0] > right[0] else right),
    ],
)
def test_answers_in_every_form(items, say):
    """All of them say the same about these pairs as True and False."""
    key = {str(item): place for place, item in enumerate(sorted(items, key=lambda item: _size(item)))}
    plain = rather.sort(items, lambda left, right: key[str(left)] > key[str(right)], budget=33)
    found = rather.sort(items, say, budget=33)
    assert [place[2:] for place in found] == [place[2:] for place in plain]
    assert str(found.items[0]) == str(plain.items[0]) and key[str(found.items[0])] >= len(items) - 2


def _size(item):
    if isinstance(item, dict):
        return item["size"]
    if isinstance(item, np.ndarray):
        return item[0]
    return (len(item), item) if isinstance(item, str) and item.startswith("x") else item


def test_ties():
    """Words of one kind are alike, and b is better than a."""
    items = [f"{kind}{n}" for n in range(4) for kind in "ab"]

    def judge(left, right):
        return "tie" if left[0] == right[0] else (left if left[0] == "b" else right)

    found = rather.sort(items, judge, budget=28)
    assert [item[0] for item in found.items] == list("bbbbaaaa")
    one = rather.sort(items, lambda left, right: 0, budget=10)
    # Alike on both sides, up to where learning stops.
    assert max(abs(place.mean) for place in one) < 0.01 and one[0].group == one[-1].group


def test_tables_and_names():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    size = {f"t{n}": float(n) for n in range(9)}
    frame = pandas.DataFrame({"size": list(size.values())}, index=list(size))
    table = polars.DataFrame({"tea": list(size), "size": list(size.values())})
    for items, names in ((frame, None), (table, "tea"), ({"tea": list(size), "size": list(size.values())}, "tea")):
        found = rather.sort(items, lambda left, right: size[left] > size[right], names=names, budget=16)
        # What the feature tells is learned.
        assert found.items[:2] == ["t8", "t7"] and found.items[-1] == "t0"
    for items in (polars.Series("tea", list(size)), pandas.Series(list(size)), (name for name in size)):
        assert rather.sort(items, lambda left, right: size[left] > size[right], budget=16).items[0] == "t8"
    objects = [object() for _ in range(5)]
    place = {id(one): n for n, one in enumerate(objects)}
    found = rather.sort(objects, lambda left, right: place[id(left)] > place[id(right)], names=list("abcde"), budget=10)
    assert found.items[0] is objects[4]


def test_judges_of_unequal_worth():
    """One tosses a coin."""
    coins = np.random.default_rng(7)
    judges = {"good": longer, "coin": lambda left, right: bool(coins.integers(2))}
    found = rather.sort(WORDS, judges, budget=120)
    good, coin = sorted(found.judges, key=lambda judge: judge.name, reverse=True)
    assert (good.name, coin.name) == ("good", "coin") and good.answers + coin.answers == 120
    assert good.noise < coin.noise and good.agreement > coin.agreement
    assert displaced(found, sorted(WORDS, key=len, reverse=True)) <= 14


def test_a_judge_that_fails_and_hangs_does_not_stop_it():
    """It fails every tenth time and hangs every fiftieth."""
    calls = itertools.count(1)
    hangs = threading.Event()

    def moody(left, right):
        n = next(calls)
        if n % 50 == 0:
            hangs.wait(600)
        if n % 10 == 0:
            raise OSError("the line is busy")
        return longer(left, right)

    found = rather.sort(WORDS, moody, budget=60, timeout=1.0)
    hangs.set()
    assert (found.answers, found.stop) == (60, "budget")
    # Asked again, it answered.
    assert found.calls == next(calls) - 1 >= 66 and found.judges[0].failures == 0


def test_what_fails_is_asked_again_and_then_no_more():
    asked = []

    def silent(left, right):
        asked.append((left, right))

    with pytest.raises(JudgeError, match=r"failed 5 questions one after the other \(it returned None\), and no other judge is left; with study=") as caught:
        rather.sort(WORDS, silent, retries=1)
    assert caught.value.learned is None and len(asked) == 10 and asked[0] == asked[1]

    def broken(left, right):
        raise KeyError("no such item")

    with pytest.warns(RuntimeWarning, match="the judge 'broken' failed 5 questions one after the other .it raised KeyError: 'no such item'") as warned:
        found = rather.sort(WORDS, {"broken": broken, "good": longer}, budget=30, retries=0)
    assert warned[0].filename == __file__ and found.answers == 30
    # Who never answered is nobody whom the study knows.
    assert [(judge.name, judge.answers) for judge in found.judges] == [("good", 30)]


def test_a_judge_that_always_skips_is_asked_no_more(tmp_path):
    asked = []

    def tires(left, right):
        asked.append(frozenset((left, right)))
        return longer(left, right) if len(asked) <= 15 else "skip"

    study = tmp_path / "list.study"
    with pytest.raises(JudgeError, match="answered none of 10 questions one after the other, and no other judge is left") as caught:
        rather.sort(WORDS, tires, study=study)
    learned = caught.value.learned
    assert (learned.answers, learned.judges[0].skipped, learned.stop) == (15, 10, None)
    assert str(study) in str(caught.value) and len(set(asked[15:])) == 10


def test_several_questions_at_a_time():
    together, most = [0], [0]
    lock = threading.Lock()

    def slow(left, right):
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        time.sleep(0.02)
        with lock:
            together[0] -= 1
        return longer(left, right)

    found = rather.sort(WORDS, {"one": slow, "other": slow}, budget=40, jobs=3)
    assert found.answers == 40 == found.calls and 1 < most[0] <= 6


def test_goals_and_money():
    found = rather.sort(WORDS, longer, until="top:3:0.9", budget=400)
    assert found.stop == "goal" and found.reached >= 0.9 and found.answers < 400
    assert {len(item) for item in found.items[:3]} == {10, 11, 12}
    assert all(place.probability_top >= 0.9 for place in found.places[:3])
    found = rather.sort(WORDS, longer, until="best:0.6", budget=400)
    assert found.stop == "goal" and found[0].probability_best >= 0.6
    found = rather.sort(WORDS, longer, price=0.5, spend=8)
    assert (found.calls, found.spent, found.stop) == (16, 8.0, None)
    with pytest.raises(rather.StudyError, match="raise budget or spend"):
        rather.sort(WORDS, longer, price=1, spend=0.5)


def test_both_orders():
    asked = []
    rather.sort(WORDS, lambda left, right: asked.append((left, right)) or longer(left, right), both_orders=True, budget=24)
    assert all(first == second[::-1] for first, second in zip(asked[::2], asked[1::2]))


def test_a_study_is_gone_on_with(tmp_path):
    """By the program and by other calls."""
    study = tmp_path / "list.study"
    assert rather.sort(WORDS, longer, study=study, budget=10).calls == 10
    found = rather.sort(WORDS, {"other": longer}, study=str(study), budget=25, question="Is not asked again")
    assert (found.answers, found.calls, found.study) == (25, 15, study)
    assert {(judge.name, judge.answers) for judge in found.judges} == {("judge", 10), ("other", 15)}
    with Study.open(study) as kept:
        assert kept.question == "Which is better?" and len(kept.history("other")) == 15
    with pytest.raises(rather.StudyError, match="is a study of other items"):
        rather.sort(WORDS[1:], longer, study=study)


def test_the_program_goes_on_with_it(tmp_path, program):
    study = tmp_path / "list.study"
    (tmp_path / "list.txt").write_text("\n".join(WORDS))
    found = rather.sort(WORDS, longer, study=study, budget=30)
    command = [program, "sort", "list.txt", "--budget", "30", "--json", "--judge", "false {left} {right}"]
    report = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout)
    assert (report["answers"], report["calls"]) == (30, 0)
    assert [line["item"] for line in report["ranking"]] == found.items
    assert [line["probability_best"] for line in report["ranking"]] == [place.probability_best for place in found]


SCRIPT = """
import sys, time
import rather

def judge(left, right):
    with open(sys.argv[2], "a") as file:
        file.write(f"{left} {right}\\n")
    time.sleep(float(sys.argv[3]))
    return len(left) > len(right)

found = rather.sort(["x" * n for n in (7, 3, 11, 1, 9, 5, 2, 12, 8, 4, 10, 6)], judge, study=sys.argv[1], budget=40)
print(found.answers, found.calls)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_killed_and_resumed_it_asks_nothing_twice(tmp_path):
    asked = tmp_path / "asked"

    def run(seconds):
        return [sys.executable, "-c", SCRIPT, str(tmp_path / "list.study"), str(asked), seconds]

    def lines():
        return len(asked.read_text().splitlines()) if asked.exists() else 0

    process = subprocess.Popen(run("0.05"))
    until = time.monotonic() + 120
    while lines() < 12 and time.monotonic() < until:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = lines()
    answers, calls = map(int, subprocess.run(run("0"), check=True, capture_output=True, text=True).stdout.split())
    # At most the question that was open then is asked again.
    assert answers == 40 and before - 1 <= 40 - calls <= before


def test_ctrl_c_is_heard_while_a_judge_thinks(tmp_path):
    study = tmp_path / "list.study"
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        rather.sort(WORDS, lambda left, right: time.sleep(600), study=study)
    assert rather.sort(WORDS, longer, study=study, budget=12).answers == 12


@pytest.mark.parametrize(
    "items, returned, sentence",
    [
        (WORDS, 7, "the judge 'judge' answered 7 about '(x+)' and '(x+)'; return \"left\", \"right\", \"tie\", \"skip\", one of the two items, True"),
        (WORDS, "the first", "answered 'the first' about"),
        (WORDS, ["left"], r"answered \['left'\] about"),
        (WORDS, 0.5, "False, 1, -1 or 0"),
        (WORDS, float("nan"), "answered nan"),
        ([1, 2, 3], -1, "answered -1 about '.' and '.'; .*, one of the two items, True for the left one, or False"),
    ],
)
def test_what_is_no_answer(items, returned, sentence):
    with pytest.raises(JudgeError, match=sentence) as caught:
        rather.sort(items, lambda left, right: returned)
    assert caught.value.learned is None and isinstance(caught.value, rather.RatherError)


@pytest.mark.parametrize(
    "items, more, error, sentence",
    [
        (WORDS, {"until": "sure"}, ParameterError, '"sure" is no goal; write best:0.95'),
        (WORDS, {"acquisition": "guess"}, rather.AcquisitionError, "guess"),
        (WORDS, {"budget": 0}, ParameterError, "budget=0 must be a whole number from 1"),
        (WORDS, {"jobs": 0}, ParameterError, "jobs=0 must be a whole number from 1 to 256"),
        (WORDS, {"retries": 1.5}, ParameterError, "retries=1.5"),
        (WORDS, {"timeout": 0}, ParameterError, "timeout=0 must be a number from 0.01 to 86400"),
        (WORDS, {"price": 1.0}, ParameterError, "price and spend belong together"),
        (WORDS, {"price": -1.0, "spend": 1.0}, ParameterError, "price=-1.0"),
        (WORDS, {"judge": "me"}, ParameterError, "the judge 'judge' is 'me'; give a function"),
        (WORDS, {"judge": {}}, ParameterError, "nobody to ask"),
        (WORDS, {"judge": {1: longer}}, ParameterError, "the judge 1 is"),
        (WORDS, {"names": ["a"]}, rather.DataError, "1 names for 12 items"),
        (WORDS, {"names": "word"}, rather.DataError, "a list has none"),
        (["a", "b", "a"], {}, rather.DataError, '"a" appears twice'),
        (["a"], {}, rather.DefinitionError, "at least two items"),
        ("abc", {}, rather.DataError, "is one text; give a list"),
    ],
)
def test_what_is_wrong_is_said_before_anybody_is_asked(items, more, error, sentence):
    asked = []
    judge = more.pop("judge", lambda left, right: asked.append(left))
    with pytest.raises(error, match=sentence):
        rather.sort(items, judge, **more)
    assert not asked
