"""Studies: ask and tell, over items and over parameters."""

import copy
import itertools
import json
import os
import pickle
import signal
import threading
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import norm

import rather
from rather import Study

TEAS = ["Assam", "Oolong", "Pu-erh", "Sencha", "Gyokuro"]


def alphabetical(query):
    """Somebody who likes what comes first in the alphabet."""
    return "left" if query.left < query.right else "right"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "teas.study"


def gain(path, **more):
    return Study.create(path, parameters={"gain": (0.0, 20.0), "mode": ["soft", "hard"]}, **more)


def taste(setting):
    return -((setting["gain"] - 12.0) ** 2) / 4.0 + (setting["mode"] == "hard")


def test_ask_and_tell(path):
    with Study.create(path, TEAS, question="Which would you drink?") as study:
        assert (study.name, study.path, study.items, study.parameters) == ("teas", path, TEAS, {})
        query = study.ask()
        assert query.number == 1 and {query.left, query.right} <= set(TEAS) and query.question == "Which would you drink?"
        again = study.ask()
        assert again.again and (again.left, again.right) == (query.left, query.right)
        told = study.tell(query, "left")
        assert (told.query, told.left, told.answer, told.answers, told.again) == (1, query.left, "left", 1, False)
        # The very same once more counts once.
        assert study.tell(query, "left").again
        assert study.run(alphabetical, 12) == 12
        best = study.best()
        assert best.recommended == "Assam" and best.answers == 13 and 0.5 < best.probability_best <= 1.0
        assert best.ranking[0].item == "Assam" and best.utility.low < best.utility.mean < best.utility.high
        assert best.to_dict()["item"][0] == "Assam" and sum(best.to_dict()["comparisons"]) == 26
    assert study.closed
    with pytest.raises(rather.StudyError, match="closed"):
        study.ask()


def test_a_study_goes_on_where_it_stopped(path):
    """The same answers give the same questions, in one sitting or in two."""
    once = Study.create(path, TEAS, seed=3)
    once.run(alphabetical, 10)
    other = path.with_name("other.study")
    with Study.create(other, TEAS, seed=3, name="teas") as study:
        study.run(alphabetical, 4)
    with Study.open(other) as study:
        study.run(alphabetical, 6)
        sides = [[(said.left, said.right) for said in s.history()] for s in (once, study)]
    assert sides[0] == sides[1]


def test_undo_and_skip(path):
    study = Study.create(path, TEAS)
    first = study.ask()
    study.tell(first, "right")
    second = study.ask()
    study.skip(second)
    assert [said.answer for said in study.history()] == ["right", "skip"]
    assert study.undo().answer == "skip" and study.undo().answer == "right"
    assert study.history() == []
    assert study.ask().number == first.number
    study.tell(None, "left")
    standing = study.standing()
    assert (standing.answers, standing.undone, standing.skipped, standing.participant) == (1, 2, 0, "me")
    said = study.history()[0]
    assert said.source == "asked" and said.seconds >= 0.0 and said.time.tzinfo is not None
    # Everything is in the log.
    kinds = [json.loads(line).get("kind") for line in study.export(format="jsonl").splitlines()]
    assert kinds[1:] == ["asked", "answered", "asked", "skipped", "undone", "undone", "answered"]


def test_sides_that_were_not_asked(path):
    study = Study.create(path, TEAS)
    told = study.tell(("Assam", "Oolong"), "left", key="mine")
    assert told.query is None and study.tell(("Assam", "Oolong"), "left", key="mine").again
    assert study.history()[0].source == "volunteered"
    study = gain(path.with_name("gain.study"))
    told = study.tell(({"mode": "soft", "gain": np.float64(3.0)}, {"gain": 4, "mode": "hard"}), "tie")
    assert told.left == {"gain": 3.0, "mode": "soft"} and list(told.left) == ["gain", "mode"]


def test_parameters(path):
    study = Study.create(
        path,
        parameters={
            "gain": (0.0, 20.0),
            "taps": (1, 8),
            "mode": ["soft", "hard"],
            "rate": {"type": "float", "low": 0.1, "high": 10, "scale": "log"},
            "floor": "float(-20, 0, step=0.5)",
        },
        answers=15,
    )
    kinds = {name: range["type"] for name, range in study.parameters.items()}
    assert kinds == {"gain": "float", "taps": "integer", "mode": "categorical", "rate": "float", "floor": "float"}
    for query in study.queries():
        for side in (query.left, query.right):
            assert list(side) == list(kinds)
            assert 0 <= side["gain"] <= 20 and side["taps"] in range(1, 9) and side["mode"] in ("soft", "hard")
            assert 0.1 <= side["rate"] <= 10 and side["floor"] % 0.5 == 0
        assert query.left != query.right and str(query.left).startswith("gain = ")
        study.tell(query, query.better(lambda s: -abs(s["gain"] - 5)))
    assert study.ask() is None and study.standing().finished and study.best().stop == "finished"


def test_items_with_features(path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"price": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "a", "b"]}, index=["w", "x", "y", "z"])
    study = Study.create(path, frame)
    assert study.items == ["w", "x", "y", "z"] and study.features("y") == {"price": 3.0, "kind": "a"}
    other = Study.create(path, frame.reset_index(), names="index", name="other")
    assert other.definition["subject"] == study.definition["subject"]
    assert Study.create(path, np.array(["a", "b"]), name="array").items == ["a", "b"]
    assert Study.create(path, pandas.Series([3, 4]), name="series").items == ["3", "4"]
    assert Study.names_of(path) == ["teas", "other", "array", "series"]
    constant = Study.create(path, {"tea": ["a", "b"], "same": [1.0, 1.0]}, names="tea", name="constant")
    assert "same" in constant.notes[0]


def test_items_are_compared_within_their_groups(path):
    items = {"name": ["a1", "a2", "b1", "b2"], "prompt": ["cat", "cat", "dog", "dog"], "model": [1.0, 2.0, 1.0, 2.0]}
    study = Study.create(path, items, names="name", within="prompt")
    asked = []
    study.run(lambda query: asked.append((query.left, query.right)) or "left", 4)
    assert all(left[0] == right[0] for left, right in asked), asked
    with pytest.raises(rather.DefinitionError, match="have no column"):
        Study.create(path, items, names="name", within="color", name="other")


def test_a_definition_in_toml(path, tmp_path):
    text = 'question = "Which?"\nitems = ["a", "b", "c"]\n[policy]\nacquisition = "eubo"\n[stop]\nanswers = 4\n'
    file = tmp_path / "teas.toml"
    file.write_text(text)
    studies = [Study.create(path, definition=given, name=str(n)) for n, given in enumerate((text, file, str(file)))]
    assert len({json.dumps(study.definition) for study in studies}) == 1
    assert studies[0].definition["policy"]["acquisition"] == "eubo" and studies[0].definition["stop"]["answers"] == 4
    changed = Study.create(path, definition=text, name="changed", acquisition="ucb:3", answers=9, prior={"sd": 3.0}, ties="drop")
    found = changed.definition
    assert found["policy"]["acquisition"] == "ucb:3" and found["stop"]["answers"] == 9
    assert (found["prior"]["sd"], found["ties"], found["question"]) == (3.0, "drop", "Which?")


def test_the_model_agrees_with_the_advice(path):
    # One Gaussian: with hyperparameters that are learned, a probability is an average over theirs.
    study = Study.create(path, TEAS, prior={"learn": False})
    study.run(alphabetical, 10)
    model, best = study.model(), study.best()
    # Ranked are the compared ones; two ways to the same posterior.
    ranked = {place.item: (place.mean, place.sd) for place in model.ranking()}
    for place in best.ranking:
        np.testing.assert_allclose((place.mean, place.sd), ranked[place.item], rtol=1e-12)
    pairs = list(itertools.combinations(range(5), 2))
    mean, covariance = model.predict(TEAS), model.covariance(TEAS)
    a, b = np.array(pairs).T
    spread = 1.0 + covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
    found = model.predict_proba([(TEAS[i], TEAS[j]) for i, j in pairs])
    # A unit is the noise of an answer, so P = Phi(difference / sqrt(1 + variance)).
    np.testing.assert_allclose(found[:, 0], norm.cdf((mean[a] - mean[b]) / np.sqrt(spread)), rtol=1e-9)
    draws = model.sample(n_samples=4000)
    _, sd = model.predict(return_std=True)
    # Four and a half standard errors of the mean of 4,000 draws.
    assert np.all(np.abs(draws.mean(axis=0) - model.predict()) < 4.5 * sd / np.sqrt(4000))
    assert model.acquisition(["Assam", "Oolong"], "Assam")[0] == pytest.approx(0.0, abs=1e-9)
    # A copy: it does not change with the study.
    before = model.predict().tolist()
    study.run(alphabetical, 3)
    assert model.predict().tolist() == before


def test_a_model_of_a_study_is_copied_and_not_pickled(path):
    study = rather.Study.create(path, ["tea", "coffee"])
    study.tell(study.ask(), "left")
    model = study.model()
    for again in (copy.copy(model), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict(), model.predict())
    with pytest.raises(rather.StudyError, match="open the study in the other process"):
        pickle.dumps(model)


def test_a_dropped_tie_is_no_answer(path):
    study = gain(path, ties="drop")
    study.tell(study.ask(), "tie")
    assert study.model().best_ is None and study.model().plot().svg
    study.run(lambda query: query.better(taste), 3)
    assert study.model().best_ == study.best().recommended


def test_a_model_of_parameters(path):
    study = gain(path)
    # Before the first answer it is the prior, relative to the average of what is asked about.
    mean, sd = study.model().predict([{"gain": 1, "mode": "soft"}, {"gain": 19, "mode": "soft"}], return_std=True)
    np.testing.assert_array_equal(mean, [0.0, 0.0])
    assert np.all(sd > 0.5)
    study.run(lambda query: query.better(taste), 20)
    best = study.best()
    assert abs(best.recommended["gain"] - 12.0) < 3.0 and best.probability_best is None
    model = study.model()
    settings = [{"gain": 12.0, "mode": "hard"}, {"gain": 1.0, "mode": "soft"}]
    good, bad = model.predict(settings)
    assert good > bad
    columns = {"gain": np.array([12.0, 1.0]), "mode": ["hard", "soft"]}
    np.testing.assert_array_equal(model.predict(columns), [good, bad])
    # One alternative alone is summed in another order than beside others.
    np.testing.assert_allclose(model.predict(settings[0]), [good], rtol=1e-12)
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(model.predict(pandas.DataFrame(columns)), [good, bad])
    fitted = study.fit(rather.PreferenceGP("se[gain] + categorical[mode]"))
    assert fitted.predict({"gain": [12.0, 1.0], "mode": ["hard", "soft"]})[0] > 0.0


def test_figures(path):
    study = gain(path)
    assert study.model().plot().svg.startswith("<svg")
    study.run(lambda query: query.better(taste), 6)
    model = study.model()
    for figure in (model.plot(), model.plot("utility", "gain"), model.plot("utility", "mode", title="Mode")):
        assert ElementTree.fromstring(figure._repr_svg_()).tag.endswith("svg")
    assert model._repr_svg_() == model.plot("utility", "gain").svg
    with pytest.raises(rather.ParameterError, match="numbers"):
        model.plot("map", "gain", "mode")
    with pytest.raises(rather.ParameterError, match="utility and map"):
        model.plot("ranking")
    with pytest.raises(rather.ParameterError, match="no parameter 'x'"):
        model.plot("utility", "x")
    with pytest.raises(rather.ParameterError, match="2 different"):
        model.plot("map", "gain", "gain")
    two = Study.create(path, parameters={"a": (0.0, 1.0), "b": "float(0.1, 10, log)"}, name="two")
    two.run(lambda query: query.better(lambda s: s["a"] * s["b"]), 5)
    assert "log₁₀" in two.model().plot().svg
    teas = Study.create(path, TEAS, name="items")
    teas.run(alphabetical, 5)
    assert "Sencha" in teas.model().plot().svg
    with pytest.raises(rather.ParameterError, match="there is ranking"):
        teas.model().plot("utility", "gain")


def test_participants(path):
    study = Study.create(path, TEAS, participants=["ann", "bob"], model="together")
    with pytest.raises(rather.StudyError, match="participant="):
        study.ask()
    with pytest.raises(rather.UnknownUserError, match="eve"):
        study.ask("eve")
    query = study.ask("ann")
    assert query.participant == "ann" and study.tell(query, "left").answers == 1
    study.run(alphabetical, 3, "bob")
    assert study.participants == ["ann", "bob"]
    assert study.standing("bob").answers == 3 and study.best("ann").answers == 4
    # What was learned from is everybody's.
    assert len(json.loads(study.model("ann")._snapshot.duels())) == 4
    anybody = Study.create(path, TEAS, name="anybody")
    anybody.run(alphabetical, 2, "carl")
    anybody.run(alphabetical, 1)
    assert anybody.participants == ["carl", "me"]


@pytest.mark.parametrize(
    "more",
    [
        {"inference": "streaming", "drift": 20.0},
        {"inference": "streaming", "half_life": 20.0},
        {"half_life": 20.0},
        {"model": "collaborative"},
        {"acquisition": "eubo", "opponent": "any", "initial": 2},
        {"prior": {"family": "matern52", "lengthscale": 0.5, "sd": 3.0, "learn": True}},
    ],
)
def test_other_ways_of_learning(path, more):
    study = gain(path, **more)
    for name in ("ann", "bob", "carl"):
        study.run(lambda query: query.better(taste), 12, name)
        assert abs(study.best(name).recommended["gain"] - 12.0) < 5.0
    assert study.model("ann").predict().shape == (len(study.model("ann").compared_),)


def test_duels_are_told_before_the_next(path):
    study = Study.create(path, TEAS, answers=5)
    with pytest.raises(rather.StudyError, match="still waits"):
        for _ in study:
            pass
    for query in study:
        study.tell(query, alphabetical(query))
    assert study.standing().answers == 5 and list(study) == []
    assert study.run(alphabetical) == 0
    shown = Study.create(path, TEAS, name="shown")
    assert shown.run(alphabetical, 3, progress=True) == 3
    quits = Study.create(path, TEAS, name="quits")
    assert quits.run(lambda query: "left" if query.number < 4 else None) == 3


def test_choosing_ahead(path):
    study = gain(path)
    assert study.plan_ahead() == 0, "nothing is open"
    study.run(lambda query: query.better(taste), 3)
    query = study.ask()
    assert study.plan_ahead() >= 3
    study.tell(query, "left")
    assert study.ask().planned
    assert study.plan_ahead(background=True) == 0
    deadline = time.monotonic() + 60.0
    while study._study.plan_ahead("me") < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    study.tell(None, "right")
    assert study.ask().planned
    study.plan_ahead(background=True)
    study.close()


def test_threads_share_a_study(path):
    study = Study.create(path, TEAS)
    failures = []

    def answer(name):
        try:
            study.run(alphabetical, 5, name)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=answer, args=(f"p{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and [study.standing(f"p{n}").answers for n in range(4)] == [5] * 4


def test_other_threads_go_on(path):
    """Choosing takes two seconds without the interpreter's lock."""
    study = Study.create(path, parameters={f"p{n}": (0.0, 1.0) for n in range(8)}, time_limit=2.0, acquisition="qeubo:2", opponent="any", initial=1)
    study.run(lambda query: query.better(lambda s: s["p0"]), 2)
    beats, done = [], threading.Event()

    def beat():
        while not done.wait(0.01):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    study.ask()
    study.plan_ahead()
    done.set()
    thread.join()
    assert len(beats) > 3


def test_ctrl_c_ends_choosing_ahead(path):
    study = Study.create(path, parameters={f"p{n}": (0.0, 1.0) for n in range(8)}, time_limit=2.0, acquisition="qeubo:2", opponent="any", initial=1)
    study.run(lambda query: query.better(lambda s: s["p0"]), 2)
    study.ask()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        study.plan_ahead()
        # A machine so fast that it was over before: the signal comes now.
        time.sleep(5)
    # The study is as it was, and usable.
    assert study.tell(None, "left").answers == 3


def test_export_and_import(path, tmp_path):
    study = gain(path)
    study.run(lambda query: query.better(taste), 6)
    for name in ("answers.csv", "answers.jsonl"):
        file = tmp_path / name
        text = study.export(file)
        assert file.read_bytes().decode() == text
        other = gain(path, name=name)
        brought = other.import_answers(file)
        assert (brought.answers, brought.participants) == (6, ["me"])
        assert [(s.left, s.right, s.answer) for s in other.history()] == [(s.left, s.right, s.answer) for s in study.history()]
        assert {said.source for said in other.history()} == {"imported"}
        with pytest.raises(rather.StudyError, match="again=True"):
            other.import_answers(file)
        assert other.import_answers(file, again=True).answers == 6


def test_reports_show_themselves(path):
    study = Study.create(path, ["<b>", "&", "c"], title="<i>")
    assert "Nobody" in study._repr_html_()
    study.run(lambda query: "left", 3)
    shown = study._repr_html_() + study.ask()._repr_html_() + study.best()._repr_html_()
    assert "<b>left" in shown and "<td><b></td>" not in shown and "&lt;b&gt;" in shown and "<i>" not in shown
    assert str(study.best()).startswith("best so far: ") and "comparison 4, 3 answers so far" in str(study.ask())
    assert any("circular" in sentence for sentence in study.health()["sentences"])
    study.close()
    assert "closed" in repr(study) and "closed" in study._repr_html_()


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_done_the_count_is_right(path, seed):
    """Random actions against a list that is kept by hand."""
    rng = np.random.default_rng(seed)
    study, kept = Study.create(path, TEAS), []
    for _ in range(25):
        action = rng.choice(["answer", "skip", "undo", "pair", "reopen"])
        if action == "answer":
            kept.append(study.tell(study.ask(), str(rng.choice(["left", "right", "tie"]))).answer)
        elif action == "skip":
            kept.append(study.skip(study.ask()).answer)
        elif action == "pair":
            left, right = rng.choice(TEAS, 2, replace=False)
            kept.append(study.tell((left, right), "left").answer)
        elif action == "undo" and kept:
            assert study.undo().answer == kept.pop()
        elif action == "reopen":
            study.close()
            study = Study.open(path)
        assert [said.answer for said in study.history()] == kept
    assert study.standing().answers == sum(answer != "skip" for answer in kept)


def test_a_study_takes_what_it_says(path):
    study = Study.create(path, TEAS, take="graded")
    assert study.tell(study.ask(), "much left").answer == "much left"
    assert study.tell(study.ask(), "tie").answers == 2
    sides = Study.create(path, TEAS, take="sides", name="sides")
    with pytest.raises(rather.ParameterError, match="left, right or skip"):
        sides.tell(sides.ask(), "tie")
    numbers = Study.create(path, TEAS, take="difference", name="numbers")
    assert numbers.tell(numbers.ask(), "-2").answer == "right by 2"
    assert numbers.tell(numbers.ask(), "left by 3").answers == 2
    with pytest.raises(rather.ParameterError, match=r"write a number from 3 \(left\) over 0 to -3 \(right\), or skip"):
        numbers.tell(numbers.ask(), "left")
    with pytest.raises(rather.DefinitionError, match='take="all" is not a set of answers; write .*graded'):
        Study.create(path, TEAS, take="all", name="all")


@pytest.mark.parametrize("take", ["best", "best and worst"])
def test_questions_about_sets(path, take):
    teas = ["Assam", "Darjeeling", "Keemun", "Lapsang", "Oolong", "Sencha"]
    likes = {tea: -place for place, tea in enumerate(teas)}.get
    with Study.create(path, teas, options=4, take=take) as study:
        query = study.ask()
        assert len(set(query.options)) == 4 and query.take == take
        assert study.ask().options == query.options and "  4 " in str(query)
        ordered = sorted(query.options, key=likes)
        told = study.tell(query, best=ordered[-1], worst=ordered[0] if take == "best and worst" else None)
        assert told.answer == query.better(likes) and (told.left, told.right, *told.others) == query.options
        assert study.run(lambda query: query.better(likes), 9) == 9
        assert study.best().recommended == "Assam"
        shown = tuple(teas[:4])
        study.tell(shown, "1 4" if take == "best and worst" else "1")
        assert study.history()[-1].others == ("Keemun", "Lapsang")
        assert study.undo().others == ("Keemun", "Lapsang") and study.standing().answers == 10
        assert study.fit().ranking()[0].item == "Assam"
        assert study.export().startswith("option_1,option_2,option_3,option_4,best,")
    with Study.open(path) as study:
        assert study.ask().number == 11


def test_answers_about_sets_that_are_none(path):
    study = Study.create(path, ["a", "b", "c", "d"], options=3, take="best and worst")
    query = study.ask()
    missing = next(item for item in "abcd" if item not in query.options)
    first, second, _ = query.options
    for said, sentence in [
        ({"best": missing, "worst": first}, "is not an option of this question"),
        ({"best": first, "worst": first}, "cannot be both the best and the worst"),
        ({"best": first}, "is not an answer of this study; write \"best N, worst M\""),
        ({"answer": "best 4, worst 1"}, "there is no option 4 in a question about 3"),
        ({"answer": "left"}, "is not an answer of this study"),
        ({"worst": second}, "say what was answered"),
        ({}, "say what was answered"),
    ]:
        with pytest.raises((rather.StudyError, rather.ParameterError), match=sentence):
            study.tell(query, **said)
    with pytest.raises(rather.StudyError, match="is about 3 options, and 2 were named"):
        study.tell(("a", "b"), "best 1, worst 2")
    assert study.standing().answers == 0
    with pytest.raises(rather.DefinitionError, match="options = 5 is more than the 4 items"):
        Study.create(path, ["a", "b", "c", "d"], options=5, name="other")
    with pytest.raises(rather.DefinitionError, match="initial = 0 must be at least 1"):
        Study.create(path, ["a", "b", "c", "d"], initial=0, name="other")
    with pytest.raises(rather.DefinitionError, match="takes answers = "):
        Study.create(path, ["a", "b", "c", "d"], options=3, take="ties", name="other")
