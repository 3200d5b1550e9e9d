"""Every public class and method says what its arguments are."""

import inspect

import pytest

import rather


def documented():
    """Public functions, classes and methods of the package, with the text that explains their arguments."""
    for name in rather.__all__:
        thing = getattr(rather, name)
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
