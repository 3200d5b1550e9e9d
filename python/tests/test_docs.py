"""Every public class and method says what its arguments are."""

import inspect
from importlib.metadata import version

import pytest

import rather
import rather.distributed

MODULES = [rather, rather.distributed, rather.inspection, rather.metrics]


def documented():
    """Public functions, classes and methods of the package, with the text that explains their arguments."""
    for name, thing in ((name, getattr(module, name)) for module in MODULES for name in module.__all__):
        if inspect.isfunction(thing):
            yield name, thing, inspect.getdoc(thing)
        elif inspect.isclass(thing) and thing.__module__.startswith("rather") and not issubclass(thing, (BaseException, tuple)):
            for method, found in inspect.getmembers(thing, lambda member: inspect.isfunction(member) or inspect.ismethod(member)):
                # What the package makes itself is made by `of`.
                if not method.startswith("_") and method != "of":
                    yield f"{name}.{method}", found, inspect.getdoc(found)


@pytest.mark.parametrize(("name", "function", "text"), [pytest.param(*one, id=one[0]) for one in documented()])
def test_every_argument_is_documented(name, function, text):
    assert text, f"{name} has no docstring"
    arguments = [argument for argument in inspect.signature(function).parameters if argument not in ("self", "cls")]
    if arguments:
        assert "Parameters\n----------" in text, f"{name} has no section Parameters for {arguments}"
    missing = [argument for argument in arguments if argument not in text.split("Parameters\n----------", 1)[-1]]
    assert not missing, f"{name} does not explain {missing}"


@pytest.mark.parametrize(("name", "function"), [pytest.param(*one[:2], id=one[0]) for one in documented()])
def test_no_argument_ends_in_an_underscore(name, function):
    """That is what learned attributes do."""
    assert not [argument for argument in inspect.signature(function).parameters if argument.endswith("_")]


def test_the_version_is_that_of_the_package():
    assert rather.__version__ == version("rather")
