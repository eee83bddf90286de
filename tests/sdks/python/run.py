"""Runs the tests, and writes into the file that is named how each ended."""

import json
import logging
import sys
import unittest
from pathlib import Path


class Result(unittest.TextTestResult):
    """One line of JSON for each test, by the name of its scenario."""

    outcomes = None

    def _note(self, test, outcome):
        name = test.id().rsplit(".", 1)[-1].removeprefix("test_")
        print(json.dumps({"scenario": name, "outcome": outcome}), file=self.outcomes)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, "ok")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._note(test, "failed")

    def addError(self, test, error):
        super().addError(test, error)
        self._note(test, "failed")


def main():
    # The SDK logs what the tests bring about on purpose.
    logging.getLogger("claude_agent_sdk").setLevel(logging.CRITICAL)
    outcomes, *patterns = sys.argv[1:]
    here = str(Path(__file__).parent)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*.test_*{it}*" for it in patterns] or None
    with open(outcomes, "w") as Result.outcomes:
        runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
        passed = runner.run(loader.discover(here)).wasSuccessful()
    sys.exit(0 if passed else 1)


main()
