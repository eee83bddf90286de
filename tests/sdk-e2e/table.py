"""Prints how each test ended on each agent, and how many passed.

    table.py FOLDER AGENT...    FOLDER has a file of outcomes for each agent
"""

import json
import sys
from pathlib import Path


def read_outcomes(path):
    lines = path.read_text().splitlines() if path.exists() else []
    # A test that fails while it cleans up has two lines.
    return {it["test"]: it["outcome"] for it in map(json.loads, lines)}


def main():
    folder, *agents = sys.argv[1:]
    outcomes = {agent: read_outcomes(Path(folder) / agent) for agent in agents}
    tests = sorted({test for ran in outcomes.values() for test in ran})
    width = max(map(len, tests), default=4) + 2
    print(f"\n{'test':<{width}}{''.join(f'{agent:<10}' for agent in agents)}".rstrip())
    for test in tests:
        cells = [ran.get(test, "MISSING") for ran in outcomes.values()]
        print(f"{test:<{width}}{''.join(f'{it:<10}' for it in cells)}".rstrip())
    passed = {a: sum(it == "ok" for it in ran.values()) for a, ran in outcomes.items()}
    print()
    for agent, count in passed.items():
        print(f"{agent}: {count} of {len(tests)} passed")
    print(f"counted: {sum(passed.values())} end-to-end tests of the official SDK")
    sys.exit(0 if tests and all(it == len(tests) for it in passed.values()) else 1)


main()
