"""The client of the studio's API, against a studio."""

import json
import subprocess

import pytest

import rather
from rather import StudioClient

TEAS = 'title = "Teas"\nitems = ["Assam", "Oolong", "Sencha"]\n'


@pytest.fixture(scope="module")
def studio(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder / "token").write_text("a-secret-of-this-test-that-is-long-enough\n")
    (folder / "token").chmod(0o600)
    command = [program, "studio", folder / "studio.db", "--listen", "127.0.0.1:0", "--token-file", folder / "token", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = json.loads(process.stdout.readline())["url"]
            yield StudioClient(url, token="a-secret-of-this-test-that-is-long-enough")
        finally:
            process.terminate()


def test_a_study_is_answered_over_http(studio, tmp_path):
    teas = studio.create(TEAS)
    assert "Teas" in [study["title"] for study in studio.studies()]
    turn = studio.ask(teas)
    for _ in range(6):
        sides = [turn["next"][side]["label"] for side in ("left", "right")]
        turn = studio.tell(teas, turn["next"]["duel"], "left" if sides[0] < sides[1] else "right")
        assert turn["recorded"]
    assert turn["answers"] == 6
    assert studio.best(teas)["best"]["item"] == "Assam"
    assert studio.undo(teas)["answers"] == 5
    assert studio.tell_about(teas, "Assam", "Sencha", "left")["answers"] == 6
    turn = studio.ask(teas)
    assert studio.skip(teas, turn["next"]["duel"])["answers"] == 6
    assert studio.probabilities(teas, [("Assam", "Sencha")])["probabilities"][0] > 0.5
    assert "ranking" in studio.result(teas) and studio.history(teas)
    exported = studio.export(teas)
    assert exported.splitlines()[0].startswith("left,right") or "Assam" in exported
    assert "subject" in json.dumps(studio.study(teas))
    studio.archive(teas)
    assert "Teas" not in [study["title"] for study in studio.studies()]


def test_what_the_studio_refuses_is_its_sentence(studio):
    with pytest.raises(rather.StudyError, match="Sign in|sign in|token"):
        StudioClient(studio.url).studies()
    with pytest.raises(rather.StudyError):
        studio.create("items = []")
    with pytest.raises(rather.StudyError):
        studio.ask("nosuch")


def test_a_studio_that_is_not_there():
    assert repr(StudioClient("http://127.0.0.1:9/api/v1/")) == "StudioClient('http://127.0.0.1:9')"
    with pytest.raises(rather.StudyError, match="cannot be reached"):
        StudioClient("http://127.0.0.1:9", timeout=5).studies()
    with pytest.raises(rather.ParameterError, match="http://"):
        StudioClient("127.0.0.1:8421")
