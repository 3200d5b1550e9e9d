"""The licence and the notices of what is linked in go with the package."""

from importlib.metadata import files


def test_the_package_holds_its_licence_and_the_notices():
    texts = {file.name: file.read_text() for file in files("rather") if file.name in ("LICENSE", "THIRD-PARTY-NOTICES.txt")}
    assert texts["LICENSE"].startswith("MIT License")
    assert "pyo3 " in texts["THIRD-PARTY-NOTICES.txt"]
