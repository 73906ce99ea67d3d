# SPDX-License-Identifier: MIT
"""The text of the repository that people read: comments, string literals, man pages, documents, descriptions.

texts(root) yields Text(file, line, kind, text). A comment block is one text. Code in documents is left out.
"""
import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

COMMENT, STRING, DOCUMENT = "comment", "string", "document"

# Files whose text is data or is not checked: captured machines, logs, expected output, the changelog, the license.
DATA = re.compile(r"^(tests/(fixtures/[^/]+/|logs/|bench/|golden/.*\.(txt|json)$)|schemas/.*/|CHANGELOG\.md|LICENSE)")
C_TOKEN = re.compile(r"""
    (?P<line>//[^\n]*) | (?P<block>/\*.*?\*/)
  | R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"
  | "(?P<string>(?:\\.|[^"\\\n])*)" | '(?:\\.|[^'\\\n])+'""", re.S | re.X)
HASH_COMMENT = re.compile(r"(?:^|(?<=\s))\#(?![!:{])\s?(.*)$")
QUOTED = re.compile(r"""(?<![\w"'])(?:"([^"\n]*)"|'([^'\n]*)')""")
DESCRIBED = {"description", "displayName", "title", "cause", "fix", "explanation", "harmless", "name", "problem", "why"}


class Text(NamedTuple):
    file: str
    line: int
    kind: str
    text: str


def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\0") if name]
    return [str(p.relative_to(root)) for p in sorted(Path(root).rglob("*")) if p.is_file() and "build" not in p.parts]


def join_blocks(lines):
    """Joins comment lines that follow each other to one text; an empty comment line separates paragraphs."""
    block, start, last = [], 0, -2
    for number, line in lines:
        if number != last + 1 or not line.strip():
            if block:
                yield start, " ".join(block)
            block, start = [], number
        if line.strip():
            start = start if block else number
            block.append(line.strip())
        last = number
    if block:
        yield start, " ".join(block)


def from_c(name, text):
    comments, strings = [], []
    last_end = -1
    for found in C_TOKEN.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        if found["line"]:
            line_start = text.rfind("\n", 0, found.start()) + 1
            has_code = bool(text[line_start:found.start()].strip())
            column = found.start() - line_start
            # A comment behind code is continued only by comments at the same column.
            if has_code or (comments and comments[-1][2] not in (None, column)):
                comments.append((number, "", None))
            comments.append((number, found["line"][2:], column if has_code else
                             comments[-1][2] if comments and comments[-1][0] == number - 1 else None))
        elif found["block"]:
            for offset, line in enumerate(found["block"][2:-2].splitlines()):
                comments.append((number + offset, line.strip().lstrip("*"), None))
        else:
            value = found["raw"] if found["raw"] is not None else found["string"]
            if value is None or text[:found.start()].rsplit("\n", 1)[-1].lstrip().startswith("#"):
                continue  # a character literal, or a preprocessor line
            if strings and not text[last_end:found.start()].strip():
                strings[-1] = (strings[-1][0], strings[-1][1] + value)  # adjacent literals are one text
            else:
                strings.append((number, value))
            last_end = found.end()
    for number, block in join_blocks((number, line) for number, line, _ in comments):
        yield Text(name, number, COMMENT, block)
    for number, value in strings:
        yield Text(name, number, STRING, re.sub(r"\\[nt]", " ", value).replace('\\"', '"'))


def from_script(name, text):
    comments = []
    for number, line in enumerate(text.splitlines(), 1):
        found = HASH_COMMENT.search(line)
        code = line[:found.start()] if found else line
        if found:
            comments.append((number, found[1]))
        for double, single in QUOTED.findall(code):
            yield Text(name, number, STRING, double or single)
    for number, block in join_blocks(comments):
        yield Text(name, number, COMMENT, block)
    for found in re.finditer(r'^ *"""(.*?)"""', text, re.S | re.M):  # docstrings, no other strings
        for number, block in join_blocks(enumerate(found[1].splitlines(), text.count("\n", 0, found.start()) + 1)):
            yield Text(name, number, COMMENT, block)


def from_page(name, text):
    text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.S | re.M)
    lines = [(n, re.sub(r"`[^`]*`|\]\([^)]*\)", "X", line)) for n, line in enumerate(text.splitlines(), 1)
             if not re.match(r"(    |; )", line)]
    for number, block in join_blocks((n, re.sub(r"[*_\\]", "", line)) for n, line in lines):
        yield Text(name, number, DOCUMENT, block)


def from_json(name, text):
    def walk(value, key):
        if isinstance(value, dict):
            for inner, item in value.items():
                yield from walk(item, inner)
        elif isinstance(value, list):
            for item in value:
                yield from walk(item, key)
        elif isinstance(value, str) and key in DESCRIBED:
            yield value

    for value in walk(json.loads(text), None):
        at = text.find(json.dumps(value, ensure_ascii=False)[1:-1][:60])
        yield Text(name, text.count("\n", 0, max(at, 0)) + 1, DOCUMENT, value)


def texts(root):
    for name in files(root):
        path = Path(root, name)
        if DATA.match(name) or path.is_symlink() or not path.is_file():
            continue
        suffix = path.suffix
        content = path.read_text(errors="replace")
        if suffix in (".c", ".h", ".cpp"):
            yield from from_c(name, content)
        elif suffix in (".md", ".scd"):
            yield from from_page(name, content)
        elif suffix == ".json" and name.startswith(("schemas/", "data/", "CMakePresets")):
            yield from from_json(name, content)
        elif suffix in (".py", ".sh", ".cmake", ".yml", ".bash", ".fish") or content.startswith("#!") or (
                path.name == "CMakeLists.txt"):
            yield from from_script(name, content)
