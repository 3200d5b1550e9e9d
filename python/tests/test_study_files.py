"""Studies in files: several processes, the program, and what is wrong with a file or a definition."""

import json
import subprocess
import sys

import pytest

import rather
from rather import Study

TEAS = ["Assam", "Oolong", "Pu-erh", "Sencha"]


def alphabetical(query):
    return "left" if query.left < query.right else "right"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "teas.study"


def test_two_processes_take_turns(path):
    study = Study.create(path, TEAS)
    code = (
        "import sys, rather\n"
        "with rather.Study.open(sys.argv[1]) as study:\n"
        "    study.run(lambda query: 'left' if query.left < query.right else 'right', 2)\n"
        "    print(study.standing().answers)\n"
    )
    for turn in range(3):
        study.run(alphabetical, 1)
        done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
        assert int(done.stdout) == study.standing().answers == 3 * (turn + 1)


def test_two_processes_answer_at_once(path):
    """Every answer counts once, whoever writes when."""
    study = Study.create(path, TEAS)
    code = "import sys, rather\nrather.Study.open(sys.argv[1]).run(lambda query: 'left', 8, sys.argv[2])"
    others = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("ann", "bob")]
    while any(other.poll() is None for other in others):
        study.run(alphabetical, 1)
    assert [other.returncode for other in others] == [0, 0]
    assert [study.standing(name).answers for name in ("ann", "bob")] == [8, 8]
    mine = study.history()
    assert [said.query for said in mine] == list(range(1, len(mine) + 1))


@pytest.mark.parametrize("over", ["items", "parameters"])
def test_the_program_takes_turns(path, program, over):
    """One file, two programs: the same duels, the same advice, bit for bit."""
    parameters = {"gain": (0.0, 20.0), "mode": ["soft", "hard"]}
    made = {"items": {"items": TEAS}, "parameters": {"parameters": parameters}}[over]
    study = Study.create(path, **made)

    def say(*words):
        done = subprocess.run([program, "study", *map(str, words), "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)

    def side(told):
        return told["item"] if over == "items" else told

    for turn in range(4):
        asked = say("ask", path)
        query = study.ask()
        assert query.again and (query.number, query.left, query.right) == (asked["comparison"], side(asked["left"]), side(asked["right"]))
        study.tell(query, "left")
        query = study.ask()
        told = say("tell", path, "right", "--comparison", query.number)
        assert (side(told["left"]), side(told["right"]), told["answers"]) == (query.left, query.right, 2 * turn + 2)
    best, advice = say("best", path, "--top", 100), study.best()
    assert side(best["recommended"]) == advice.recommended
    assert best["utility"] == advice.utility._asdict()
    assert (best["expected_regret"], best["limit"], best["stop"]) == (advice.expected_regret, advice.limit, advice.stop)
    assert [side(line["alternative"]) for line in best["ranking"]] == [place.item for place in advice.ranking]
    assert [line["utility"]["mean"] for line in best["ranking"]] == [place.mean for place in advice.ranking]
    say("undo", path)
    assert study.standing().undone == 1
    assert say("export", path)["text"] == study.export()



WRONG = [
    (lambda p: Study.create(p), rather.DefinitionError, "one of items, parameters and definition"),
    (lambda p: Study.create(p, TEAS, parameters={"x": (0, 1)}), rather.DefinitionError, "one of"),
    (lambda p: Study.create(p, ["a"]), rather.DefinitionError, "at least two"),
    (lambda p: Study.create(p, ["a", "a"]), rather.DataError, "appears twice"),
    (lambda p: Study.create(p, ["a", " b"]), rather.DefinitionError, "spaces"),
    (lambda p: Study.create(p, "teas"), rather.DefinitionError, "list of names"),
    (lambda p: Study.create(p, TEAS, participants="ann"), rather.DefinitionError, "participants='ann' is one text"),
    (lambda p: Study.create(p, {"x": [1.0, float("nan")]}), rather.DataError, "NaN"),
    (lambda p: Study.create(p, parameters={}), rather.DefinitionError, "at least one parameter"),
    (lambda p: Study.create(p, parameters=["x"]), rather.DefinitionError, "dict of names"),
    (lambda p: Study.create(p, parameters={"x": 3}), rather.DefinitionError, "range of the parameter 'x' is 3"),
    (lambda p: Study.create(p, parameters={"x": (3.0, 1.0)}), rather.DefinitionError, "x.low: low = 3 must be less"),
    (lambda p: Study.create(p, parameters={"x": (0.0, float("inf"))}), rather.DefinitionError, "parameter 'x' is .*finite"),
    (lambda p: Study.create(p, parameters={"x": {1, 2}}), rather.DefinitionError, "range of the parameter 'x'"),
    (lambda p: Study.create(p, parameters={"x": "float(1)"}), rather.DefinitionError, "is no parameter"),
    (lambda p: Study.create(p, parameters={"x": {"type": "float", "low": 1}}), rather.DefinitionError, "missing field"),
    (lambda p: Study.create(p, parameters={"x": {"type": "round", "low": 1}}), rather.DefinitionError, "round"),
    (lambda p: Study.create(p, parameters={"x": ["a", "a"]}), rather.DefinitionError, "x.choices"),
    (lambda p: Study.create(p, parameters={"x=y": (0, 1)}), rather.DefinitionError, "x=y"),
    (lambda p: Study.create(p, definition="items = [1"), rather.DefinitionError, "the definition, line 1, column"),
    (lambda p: Study.create(p, definition="items = ['a', 'b']\nsede = 3"), rather.DefinitionError, "line 2, column 1"),
    (lambda p: Study.create(p, definition=p.with_name("no.toml")), rather.DataError, "no.toml"),
    (lambda p: Study.create(p, TEAS, model="alone"), rather.DefinitionError, 'model="alone" is not known; take .*"separate"'),
    (lambda p: Study.create(p, TEAS, inference="exact"), rather.DefinitionError, "inference"),
    (lambda p: Study.create(p, TEAS, ties="lose"), rather.DefinitionError, "ties"),
    (lambda p: Study.create(p, TEAS, drift=3.0), rather.DefinitionError, "streaming"),
    (lambda p: Study.create(p, TEAS, half_life=0.0), rather.DefinitionError, "half_life"),
    (lambda p: Study.create(p, TEAS, acquisition="best of all"), rather.AcquisitionError, "best of all"),
    (lambda p: Study.create(p, TEAS, opponent="worst"), rather.AcquisitionError, "worst"),
    (lambda p: Study.create(p, TEAS, prior={"size": 1}), rather.DefinitionError, "prior has no 'size'"),
    (lambda p: Study.create(p, TEAS, prior={"family": "cubic"}), rather.KernelError, "cubic"),
    (lambda p: Study.create(p, TEAS, prior={"sd": -1.0}), rather.DefinitionError, "prior.sd"),
    (lambda p: Study.create(p, TEAS, answers=0), rather.DefinitionError, "answers=0"),
    (lambda p: Study.create(p, TEAS, seed=-1), rather.DefinitionError, "seed=-1"),
    (lambda p: Study.create(p, TEAS, seed=1.5), rather.DefinitionError, "seed=1.5"),
    (lambda p: Study.create(p, TEAS, regret=0.0), rather.DefinitionError, "regret"),
    (lambda p: Study.create(p, TEAS, time_limit=float("nan")), rather.DefinitionError, "time_limit"),
    (lambda p: Study.create(p, TEAS, name=" "), rather.StudyError, "name is empty"),
    (lambda p: Study.create(p, TEAS, participants=["a", "a"]), rather.DefinitionError, "appears twice"),
    (lambda p: Study.create(p / "no" / "teas.study", TEAS), rather.StudyFileError, "folder"),
    (lambda p: Study.open(p), rather.StudyFileError, "make a study with rather.Study.create$"),
    (lambda p: Study.names_of(p), rather.StudyFileError, "does not exist"),
    (lambda p: Study.open(p.parent), rather.StudyFileError, "is a folder"),
    (lambda p: p.write_text("tea,price\n") and Study.open(p), rather.StudyFileError, "made by rather.Study.create$"),
    (lambda p: p.write_text("") or Study.open(p), rather.StudyFileError, "is empty"),
]


@pytest.mark.parametrize(("make", "error", "words"), WRONG)
def test_what_is_no_study_has_its_sentence(path, make, error, words):
    with pytest.raises(error, match=words) as caught:
        make(path)
    assert isinstance(caught.value, rather.RatherError) and isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value) and "--" not in str(caught.value) and "`" not in str(caught.value)


def done(study):
    study.tell(study.ask(), "left")
    return study


@pytest.mark.parametrize(
    ("do", "error", "words"),
    [
        (lambda s: s.tell(None, "left"), rather.StudyError, "no open comparison"),
        (lambda s: s.tell(7, "left"), rather.StudyError, "comparison 7 of me was never asked|no open comparison"),
        (lambda s: s.tell(-1, "left"), rather.StudyError, "query=-1"),
        (lambda s: s.tell(s.ask(), "both"), rather.ParameterError, '"both" is not an answer'),
        (lambda s: done(s).tell(1, "right"), rather.StudyError, 'answered with "left" already'),
        (lambda s: s.tell(("Assam", "Asam"), "left"), rather.UnknownItemError, "did you mean"),
        (lambda s: s.tell(({"gain": float("nan")}, "Assam"), "left"), rather.DataError, "finite number"),
        (lambda s: s.tell(("Assam", "Assam"), "left"), rather.DataError, "compared with itself"),
        (lambda s: s.tell(("Assam",), "left"), rather.StudyError, "is about 2 options, and 1 was named"),
        (lambda s: s.tell(({"gain": 1}, "Assam"), "left"), rather.UnknownItemError, "gain"),
        (lambda s: (s.tell(("Assam", "Oolong"), "left", key="k"), s.tell(("Assam", "Sencha"), "left", key="k")), rather.StudyError, "new key"),
        (lambda s: s.undo(), rather.StudyError, "no answer to undo"),
        (lambda s: s.best(), rather.StudyError, "has no answers yet"),
        (lambda s: s.fit(), rather.StudyError, "no answer with a preference"),
        (lambda s: s.ask(" me"), rather.StudyError, "participant"),
        (lambda s: s.export(), rather.StudyError, "no answer"),
        (lambda s: done(s).export(format="xls"), rather.StudyError, "no format"),
        (lambda s: done(s).export(s.path.with_suffix(".doc")), rather.StudyError, "choose one with format="),
        (lambda s: s.import_answers(s.path.with_name("no.csv")), rather.DataError, "no.csv"),
        (lambda s: s.model().predict(["Asam"]), rather.UnknownItemError, "Asam"),
        (lambda s: s.model().predict_proba(["Assam"]), rather.DataError, "pairs are"),
        (lambda s: s.model().predict_proba([("Assam", "Asam")]), rather.UnknownItemError, "Asam"),
        (lambda s: s.model().predict({"a": [1, 2], "b": [1]}), rather.DataError, "same length"),
        (lambda s: Study.create(s.path, TEAS), rather.StudyError, "choose another name with name="),
        (lambda s: Study.open(s.path, "coffee"), rather.StudyError, "no study"),
        (lambda s: (Study.create(s.path, TEAS, name="two"), Study.open(s.path)), rather.StudyError, "choose one with name="),
    ],
)
def test_what_a_study_cannot_do_has_its_sentence(path, do, error, words):
    with pytest.raises(error, match=words) as caught:
        do(Study.create(path, TEAS))
    assert isinstance(caught.value, rather.RatherError) and isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value) and "--" not in str(caught.value)


def test_a_line_to_blame_is_named(path, tmp_path):
    study = Study.create(path, TEAS)
    file = tmp_path / "answers.csv"
    file.write_text("winner,loser\nAssam,Oolong\nAssam,Earl Grey\n")
    with pytest.raises(rather.DataError, match="answers.csv, line 3: .*Earl Grey"):
        study.import_answers(file)
    assert study.history() == []
    file.write_text("winner,loser\nAssam,Oolong\n")
    named = Study.create(path, TEAS, name="named", participants=["ann", "bob"])
    with pytest.raises(rather.DataError, match="participant="):
        named.import_answers(file)
    assert named.import_answers(file, participant="bob").participants == ["bob"]


def test_a_cut_file_is_an_error(path):
    with Study.create(path, [f"tea number {n}" for n in range(300)]):
        pass
    whole = path.read_bytes()
    for length in (100, 4096, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(rather.StudyFileError, match="is cut off: it has .* to restore a backup"):
            Study.open(path)


def test_a_backup_is_a_whole_study(path, tmp_path):
    study = Study.create(path, TEAS)
    study.tell(("Assam", "Oolong"), "left")
    copy = tmp_path / "copy.study"
    assert study.backup(copy)["studies"] == [study.name]
    # Another answer, which the copy does not have.
    study.tell(("Assam", "Oolong"), "left")
    with pytest.raises(rather.StudyError, match="exists already"):
        study.backup(copy)
    with Study.open(copy) as of_copy:
        assert len(of_copy.history()) == 1
    assert study.backup(copy, replace=True)["events"] > 1
    report = Study.check(copy)
    assert report["ok"] and report["problems"] == [] and report["studies"][0]["answers"] == 2
    copy.write_bytes(copy.read_bytes()[:-1])
    assert not Study.check(copy)["ok"]
