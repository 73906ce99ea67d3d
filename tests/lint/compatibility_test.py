#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compatibility_test.py ROOT [update] | --self-test: compares the schemas with json_members.txt, the members of each JSON format.

The rule of manactl(1): later versions add members; if one is removed or changed, the number of the format increases.
So with the same number, no member and no value of an enumeration may vanish, no type may change, and a new member is
optional, because documents of earlier versions lack it. Update records new formats and members; it refuses a violation.
"""
import json
import pathlib
import sys

HEAD = """# The members of each JSON format, for compatibility_test.py, which writes this file.
# "!" marks a member that every document of the format has. "=" lists the values of an enumeration.
"""


def type_of(node):
    """The type as text without spaces, such as "null/string" or "@nic"."""
    if "$ref" in node:
        return "@" + node["$ref"].rsplit("/", 1)[1]
    if "oneOf" in node:
        return "/".join(sorted(type_of(one) for one in node["oneOf"]))
    if "enum" in node or "const" in node:
        return "value"
    types = node.get("type", "any")
    return types if isinstance(types, str) else "/".join(sorted(types))


def walk(node, path, lines):
    """Adds a set of members or values for each object and enumeration below the node."""
    if "enum" in node:
        lines[path + "="] = {json.dumps(value).strip('"').replace(" ", "_") or '""' for value in node["enum"]}
    required = set(node.get("required", []))
    for name, member in node.get("properties", {}).items():
        mark = "!" if name in required else ""
        lines.setdefault(path, set()).add(f"{name}{mark}:{type_of(member)}")
        walk(member, f"{path}/{name}", lines)
    for key, mark in (("items", "[]"), ("additionalProperties", "/*")):
        if isinstance(node.get(key), dict):
            walk(node[key], path + mark, lines)
    for index, one in enumerate(node.get("oneOf", [])):
        walk(one, f"{path}({index})" if "properties" in one else path, lines)
    for name, one in node.get("definitions", {}).items():
        walk(one, "@" + name, lines)


def read_schemas(root):
    formats = {}
    for file in sorted((root / "schemas").glob("*.schema.json")):
        document = json.loads(file.read_text())
        lines = formats[document["properties"]["schema"]["const"]] = {}
        walk(document, "", lines)
    return formats


def read_record(file):
    formats = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        if line.startswith("manactl."):
            lines = formats[line] = {}
        elif line.startswith("  "):
            path, _, members = line.strip().partition(" ")
            lines[path.removeprefix(".")] = set(members.split())
    return formats


def write_record(file, formats):
    text = HEAD
    for name, lines in formats.items():
        text += f"\n{name}\n" + "".join(f"  .{path} {' '.join(sorted(lines[path]))}\n" for path in sorted(lines))
    file.write_text(text)


def violations(before, now):
    """Yields what the rule forbids without a new number."""
    for path, members in before.items():
        known = {member.replace("!", "") for member in now.get(path, ())}
        for member in sorted(members):
            if member.replace("!", "") not in known:
                yield f"'{path}' lacks {member}: restore it, or increase the number of the format"
    for path, members in now.items():
        for member in sorted(members - before.get(path, set())):
            if path in before and "!" in member:
                yield f"'{path}' requires {member}: make it optional, or increase the number of the format"


def self_test():
    before = {"": {"a!:string", "b:string"}, "/b=": {"x"}}
    for now, expected in [
            ({"": {"a!:string", "b:string", "c:string"}, "/b=": {"x", "y"}}, 0),  # additions
            ({"": {"a!:string", "b:string", "c!:array"}, "/b=": {"x"}, "/c[]": {"d!:string"}}, 1),
            ({"": {"a!:string", "b!:string"}, "/b=": {"x"}}, 1),  # became required
            ({"": {"a!:string"}, "/b=": {"x"}}, 1),  # removed
            ({"": {"a!:string", "b:array"}, "/b=": {"x"}}, 1),  # another type
            ({"": {"a!:string", "b:string"}, "/b=": {"y"}}, 1)]:  # renamed value
        found = list(violations(before, now))
        assert len(found) == expected, (now, found)
    return 0


def main():
    root = pathlib.Path(sys.argv[1])
    file = root / "tests/lint/json_members.txt"
    recorded, current = read_record(file), read_schemas(root)
    wrong = [f"{name}: {what}" for name, lines in current.items() if name in recorded
             for what in violations(recorded[name], lines)]
    if sys.argv[2:] == ["update"] and not wrong:
        write_record(file, current)
    elif not wrong and recorded != current:
        wrong.append(f"{file.name} is not up to date: run '{sys.argv[0]} ROOT update'")
    print("\n".join(wrong) or "every format is compatible with its earlier documents")
    return 1 if wrong else 0


sys.exit(self_test() if sys.argv[1] == "--self-test" else main())
