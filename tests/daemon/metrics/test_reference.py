import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_reference_tells_of_the_metrics_that_there_are() -> None:
    drawn = subprocess.run(
        [ROOT / "script/metrics-reference"], capture_output=True, text=True, check=True
    ).stdout

    page = (ROOT / "docs/reference/metrics.md").read_text()
    assert drawn == page, "run script/metrics-reference >docs/reference/metrics.md"
