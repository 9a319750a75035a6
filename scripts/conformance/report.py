#!/usr/bin/env python3
"""Compares one run of scripts/conformance.sh with the stored lists, prints what differs, and stores the run if told to.

Started by scripts/conformance.sh, which explains the modes. The exit status is 1 if a test that the stored list has as
passing did not pass in a class that was run.
"""
import argparse
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
YARDSTICK = HERE / "kafka-4.3.1.txt"
STORED = HERE / "tidemark.txt"
PAGE = HERE.parent.parent / "docs" / "CONFORMANCE.md"
REASON_CHARACTERS = 160

Result = collections.namedtuple("Result", "outcome reason")


def class_of(name):
    """org.example.FooTest.method isolated -> org.example.FooTest"""
    return name.split(" ")[0].rpartition(".")[0]


def judge(result, reason):
    """A test that was not run says why in its first words; one that asks for a missing API is about that API."""
    reason = reason.removeprefix("TestAbortedException: ")
    missing = re.search(r"UnsupportedVersionException: The node does not support (\w+)", reason)
    if result == "fail" and missing:
        return Result("not built", f"not built: the API {missing.group(1)}")
    if result != "skip":
        return Result(result, reason)
    return Result("not built" if reason.startswith("not built") else "not applicable", reason)


def read_run(path):
    """Of a test that ran twice (a second try), the better result counts."""
    run = {}
    for line in path.read_text().splitlines():
        result, name, _, reason = (line.split("\t") + [""])[:4]
        if result == "skip" and name.endswith(" combined") and reason.startswith("Tidemark has one layout"):
            continue
        if run.get(name, Result("", "")).outcome != "pass":
            run[name] = judge(result, reason)
    return run


def read_stored():
    stored = {}
    if STORED.exists():
        for line in STORED.read_text().splitlines():
            outcome, name, reason = (line.split("\t") + [""])[:3]
            stored[name] = Result(outcome, reason)
    return stored


def read_yardstick():
    return set(YARDSTICK.read_text().splitlines()) if YARDSTICK.exists() else set()


def shorten(reason):
    """Without what changes from run to run."""
    text = re.sub(r"(localhost|127\.0\.0\.1):\d+", r"\1", reason)
    return text if len(text) <= REASON_CHARACTERS else text[:REASON_CHARACTERS].rstrip() + "..."


def merge(old, run):
    """The run's classes replace what was stored of them."""
    classes = {class_of(name) for name in run}
    return {name: value for name, value in old.items() if class_of(name) not in classes} | run


def store_yardstick(run):
    old = {name: None for name in read_yardstick()}
    new = merge(old, {name: result.outcome for name, result in run.items()})
    names = sorted(name for name, outcome in new.items() if outcome in (None, "pass"))
    YARDSTICK.write_text("".join(name + "\n" for name in names))
    print(f"stored: {len(names)} tests that pass on Kafka 4.3.1")


def store(run):
    merged = merge(read_stored(), run)
    STORED.write_text(
        "".join(f"{result.outcome}\t{name}\t{shorten(result.reason)}\n" for name, result in sorted(merged.items()))
    )
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(merged, read_yardstick()))
    print(f"stored: {STORED.relative_to(HERE.parent.parent)}, {PAGE.relative_to(HERE.parent.parent)}")


def judged(results, yardstick):
    """A failure that Kafka shares under this runner says nothing about Tidemark."""
    measured = {class_of(name) for name in yardstick}
    for name, result in sorted(results.items()):
        outcome = result.outcome
        if outcome == "fail" and class_of(name) in measured and name not in yardstick:
            outcome = "fails on Kafka too"
        yield name, outcome, result.reason


def cell(text):
    return shorten(text).replace("|", "\\|").replace("<", "&lt;")


def page(results, yardstick):
    columns = ["pass", "fail", "not built", "not applicable", "fails on Kafka too"]
    classes = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(collections.Counter)
    failures = []
    for name, outcome, reason in judged(results, yardstick):
        classes[class_of(name)][outcome] += 1
        if outcome == "fail":
            failures.append((name, reason))
        elif outcome != "pass":
            reasons[outcome][reason.removeprefix(outcome + ": ")] += 1
    total = sum(classes.values(), collections.Counter())
    out = [
        "# Kafka's own integration tests against Tidemark",
        "",
        "Kafka 4.3.1's cluster tests, taken from its test jars and run unchanged by `scripts/conformance.sh`, each",
        "against a fresh Tidemark cluster with the test's server properties. Written by that script; do not edit.",
        "",
        "- **pass**, **fail**: as JUnit says. A test that fails on Kafka itself under the same runner is counted apart.",
        "- **not built**: the test is about a feature that Tidemark lacks.",
        "- **not applicable**: the test is about Kafka's insides (its server objects, metrics, plug-ins, directories).",
        "",
        "Kafka can be laid out with brokers and controllers in one process or apart; where a test asks for both, it is",
        "run for the second only.",
        "",
        "| class | " + " | ".join(columns) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    for name, counts in sorted(classes.items()):
        out.append(f"| {name} | " + " | ".join(str(counts[c] or "") for c in columns) + " |")
    out.append("| **all** | " + " | ".join(str(total[c]) for c in columns) + " |")
    waiting = sorted({class_of(name) for name in yardstick} - set(classes))
    if waiting:
        out += ["", "Not run yet: " + ", ".join(waiting) + "."]
    out += ["", "## Failures", ""]
    if failures:
        out += ["| test | how |", "| --- | --- |"]
        out += [f"| {name.removesuffix(' isolated')} | {cell(reason)} |" for name, reason in failures]
    else:
        out.append("None.")
    for outcome in columns[2:4]:
        if reasons[outcome]:
            out += ["", f"## {outcome.capitalize()}", "", "| why | tests |", "| --- | ---: |"]
            out += [f"| {cell(reason)} | {count} |" for reason, count in reasons[outcome].most_common()]
    return "\n".join(out) + "\n"


def show(run):
    yardstick = read_yardstick()
    counts = collections.Counter()
    for name, outcome, reason in judged(run, yardstick):
        counts[outcome] += 1
        if outcome == "fail":
            print(f"FAIL {name}\n     {reason}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))


def regressions(run):
    classes = {class_of(name) for name in run}
    return [
        name
        for name, result in sorted(read_stored().items())
        if result.outcome == "pass"
        and class_of(name) in classes
        and run.get(name, Result("no result", "")).outcome != "pass"
    ]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--target", choices=["tidemark", "kafka"], required=True)
    arguments.add_argument("--mode", choices=["show", "ci", "store", "lost"], required=True)
    arguments.add_argument("--results", type=pathlib.Path, required=True)
    options = arguments.parse_args()
    run = read_run(options.results)
    if options.mode == "lost":
        print("\n".join(sorted({class_of(name) for name in regressions(run)})))
        return 0
    if options.target == "kafka":
        for name, result in sorted(run.items()):
            if result.outcome == "fail":
                print(f"FAIL {name}\n     {result.reason}")
        if options.mode == "store":
            store_yardstick(run)
        return 0
    show(run)
    lost = regressions(run)
    for name in lost:
        print(f"REGRESSION {name}: passed before")
    if options.mode == "store":
        store(run)
        return 0
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
