"""Prints which scenario ran with which SDK, and how it ended.

A scenario runs with every SDK, unless it says which it is not for, and why.
What failed, is missing, or ran where it could not, fails the whole.
"""

import json
import sys
from pathlib import Path

SDKS = ["python", "typescript"]


def read_outcomes(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return {it["scenario"]: it["outcome"] for it in map(json.loads, lines)}


def cell(sdk, outcome, not_with):
    if sdk not in not_with:
        return outcome or "MISSING"
    return "-" if outcome is None else f"{outcome}, UNEXPECTED"


def main():
    folder, word = Path(sys.argv[1]), sys.argv[2]
    outcomes = {sdk: read_outcomes(folder / sdk) for sdk in SDKS}
    files = sorted((Path(__file__).parent / "scenarios").glob("*.json"))
    scenarios = {it.stem: json.loads(it.read_text()) for it in files if word in it.stem}
    strangers = {name for ran in outcomes.values() for name in ran} - scenarios.keys()

    counts = {"ok": 0, "-": 0, "bad": 0}
    print(f"\n{'scenario':<30}{'python':<12}typescript")
    for name in [*scenarios, *sorted(strangers)]:
        not_with = scenarios.get(name, {}).get("host", {}).get("not_with", {})
        cells = [cell(sdk, outcomes[sdk].get(name), not_with) for sdk in SDKS]
        for it in cells:
            counts[it if it in counts else "bad"] += 1
        why = "; ".join(f"{sdk}: {why}" for sdk, why in not_with.items())
        print(f"{name:<30}{cells[0]:<12}{cells[1]:<12}{why}".rstrip())
    if not scenarios:
        sys.exit(f"no scenario has {word!r} in its name")
    for name in strangers:
        print(f"a test is named {name}, and no scenario is")
    print(f"\n{counts['ok']} passed, {counts['bad']} failed")
    print(f"counted: {counts['ok']} scenarios of the official SDKs")
    sys.exit(1 if counts["bad"] or strangers else 0)


main()
