#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""language_test.py ROOT | --self-test | --sample SEED ROOT: plain English, as far as a machine can check it.

The rules are those of docs/style.md. --sample prints 80 comments and 80 strings for a human reader.
"""
import random
import re
import shutil
import subprocess
import sys

from prose import COMMENT, DOCUMENT, STRING, Text, files, texts

EVERYWHERE = (COMMENT, STRING, DOCUMENT)
PEOPLE = r"(?:users?|readers?|people|who|you|they|administrators?|engineers?|operators?|nobody|anybody|I|we)"
BRITISH = (r"colour|behaviour|neighbour|favour|honour|centre|licence|defence|catalogue|grey|whilst|artefact|judgement|"
           r"fulfil|analyse[sd]?|analysing|cancell(?:ed|ing)|labell(?:ed|ing)|modell(?:ed|ing)|travell(?:ed|ing)|"
           r"(?:organ|recogn|initial|optim|serial|summar|normal|synchron|util|minim|maxim|random|real|special|author)is"
           r"(?:e[sd]?|ing|ations?|ers?)")

# Name of the rule, the kinds of text it applies to, the forbidden pattern, and the advice.
RULES = [
    ("voice", EVERYWHERE, rf"(?:^|[.;:,(] |\b(?!{PEOPLE}\b)[\w']+ )([Aa]nswers|[Tt]ells|[Ss]ays|[Ww]ants|[Hh]ears)\b",
     "functions return and read; programs print and report"),
    ("voice", EVERYWHERE, r"\b(is|are|was|were|be|been) (told|heard|said|heeded)\b(?! to\b)",
     "name who reports, reads or uses it"),
    ("negation", EVERYWHERE, r"(?<![Tt]here )\b(is|are|was|were) no (?!longer|more|less|later|earlier|fewer|other|matter)[a-z]",
     "negate the verb: 'is not a number'"),
    ("fragment", (COMMENT,), r"(?:^|[.;:] )Of (?!course)[a-z]+[^,]*$", "name the thing first"),
    ("fragment", (COMMENT,), r"(?:^|[.] )(What|That (?:a|an|the|it|they|this|no|of)|Whoever|Whose|Nothing (?:of|is|that)|None of it)\b"
     r"(?![^.?]*\?)", "begin with the subject"),
    ("fragment", (COMMENT,), r"(?:^|[.] )Where (?![^.]*,)", "begin with the subject"),
    ("metaphor", EVERYWHERE, r"\b((?<!data )rooms?(?! for\b)|doors?|houses?|walls?(?!(?:-| )clock)|masonry)\b",
     "module, interface, architecture, layering"),
    ("spelling", EVERYWHERE, rf"\b({BRITISH})\b", "American spelling"),
    ("source", (COMMENT, DOCUMENT), r"\b(facts? [0-9]|seeds?/|principle [0-9])", "cite a public source"),
]
COMPILED = [(name, kinds, re.compile(pattern, re.I if name in ("spelling", "metaphor") else 0), advice)
            for name, kinds, pattern, advice in RULES]
# Exceptions: a pattern of file names, and a pattern of texts in these files.
ALLOWED = [
    (r"tests/lint/(language_test|prose)\.py", r""),
    (r"docs/style\.md", r""),  # quotes texts to avoid
]


def broken(text):
    """Yields every rule that a text breaks, as (rule, the matching words, advice)."""
    for name, kinds, pattern, advice in COMPILED:
        found = pattern.search(text.text) if text.kind in kinds else None
        if found and not any(re.fullmatch(file, text.file) and re.search(words, text.text) for file, words in ALLOWED):
            yield name, found[0], advice


def misspelled(root):
    if not shutil.which("codespell"):
        return ["codespell is not installed: scripts/packages test installs it"]
    names = [n for n in files(root) if re.match(r"(src|man|docs|scripts|bench|schemas|deploy|cmake|tests/(?!fixtures/|logs/|tickets/round))|\w+\.md", n)]
    run = subprocess.run(["codespell", "-I", "tests/lint/spelling.txt", *names], cwd=root, capture_output=True, text=True)
    return run.stdout.splitlines() or ([run.stderr.strip()] if run.returncode else [])


WRONG = {
    "voice": ["the function answers 0", "a file tells its size", "as the kernel says", "it is told in the report"],
    "negation": ["'x' is no number", "that are no packets"],
    "fragment": ["Of what the caller gave.", "What was there before.", "That a queue is full.", "Where it stands.",
                 "Nothing of it is kept.", "Counts bytes. Whoever writes them owns the buffer."],
    "metaphor": ["a room of its own", "the kernel's doors"],
    "spelling": ["the colour of it", "it is optimised"],
    "source": ["see facts 4.2"],
}
RIGHT = ["There is no device.", "The user wants to stop.", "It is no longer used.", "Where a driver lacks it, zero is used.",
         "Wall-clock seconds.", "Of course.", "there is room for 8 entries", "That is why the queue drains first."]


def self_test():
    for rule, samples in WRONG.items():
        for sample in samples:
            if rule not in [found[0] for found in broken(Text("a.cpp", 1, COMMENT, sample))]:
                sys.exit(f"'{sample}' does not break the rule '{rule}'")
    for sample in RIGHT:
        for found in broken(Text("a.cpp", 1, COMMENT, sample)):
            sys.exit(f"'{sample}' breaks {found}")


def sample(seed, root):
    """Prints random texts of at least four words: 80 comments of all files, and 80 strings of src."""
    everything = [t for t in texts(root) if len(t.text.split()) > 3]
    chooser = random.Random(int(seed))
    comments = [t for t in everything if t.kind == COMMENT and "SPDX" not in t.text]
    strings = [t for t in everything if t.kind == STRING and t.file.startswith("src/")]
    for chosen in (comments, strings):
        for number, text in enumerate(chooser.sample(chosen, 80), 1):
            print(f"{text.kind} {number}: {text.file}:{text.line}: {text.text}")


def main(root):
    findings = [f"{t.file}:{t.line}: {rule}: '{words}' ({advice})" for t in texts(root) for rule, words, advice in broken(t)]
    findings += misspelled(root)
    print("\n".join(findings) or "no rule of the language is broken")
    return 1 if findings else 0


if sys.argv[1] == "--self-test":
    self_test()
elif sys.argv[1] == "--sample":
    sample(sys.argv[2], sys.argv[3])
else:
    sys.exit(main(sys.argv[1]))
