"""Runs `agentwire conform store` with stores in other languages, and prints a table.

    run.py AGENTWIRE PYTHON

Fails if an outcome is not that of `expected.json`, which has a reason for each contract that a
store does not hold.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

agentwire, python = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
expected = json.loads((here / "expected.json").read_text())
STORES = ["memory", "postgres", "redis", "s3"]


def conform(store):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as reasons:
        json.dump(expected.get(store, {}), reasons)
        reasons.flush()
        command = [agentwire, "conform", "store", "--json", "--many", "2000", "--expected", reasons.name]
        command += ["--", python, "-B", str(here / "python_sdk.py"), store]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode > 1:
        sys.exit(done.returncode)
    # A text may have what else ends a line for Python.
    lines = done.stdout.strip("\n").split("\n")
    return {it["case"]: it for it in map(json.loads, lines)}


outcomes = {store: conform(store) for store in STORES}
contracts = list(outcomes[STORES[0]])
width = max(map(len, contracts))
words = {"ok": "holds", "skipped": "-", "expected": "no", "departs": "NO", "stuck": "NO", "passes": "HOLDS"}
print(f"{'contract':{width}}  " + " ".join(f"{store:>8}" for store in STORES))
for contract in contracts:
    row = [words[outcomes[store][contract]["verdict"]] for store in STORES]
    print(f"{contract:{width}}  " + " ".join(f"{word:>8}" for word in row))
held = [sum(it["verdict"] == "ok" for it in outcomes[store].values()) for store in STORES]
print(f"{'held':{width}}  " + " ".join(f"{number:>8}" for number in held))

unexpected = [
    (store, it)
    for store in STORES
    for it in outcomes[store].values()
    if it["verdict"] not in ("ok", "skipped", "expected")
]
for store, it in unexpected:
    print(f"{store}: {it['case']} {it['verdict']}: {it['problem']}")
print(f"counted: {len(contracts) * len(STORES)} contracts of stores in Python")
sys.exit(1 if unexpected else 0)
