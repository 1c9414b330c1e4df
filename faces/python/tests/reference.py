"""The reference of the package in the book, made of its types and docstrings: `python faces/python/tests/reference.py` writes it.

Signatures are those of the stubs and sources, sentences those that `help` shows.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "book" / "src" / "python-reference.md"
PACKAGE = ROOT / "faces" / "python" / "abreast"

HEAD = """\
# Python reference

<!-- Made by faces/python/tests/reference.py: change the docstrings and stubs. -->

[Python](python.md) introduces the package, [Arguments](python.md#arguments) has what holds for all buffers, and
[Errors](python.md#errors) the exceptions of all functions: a `ValueError` for a wrong length or value, a `TypeError` for a wrong type. Below, a
`Buffer` is any object with the buffer protocol, and a `WritableBuffer` one that can be written to.
"""

Definition = ast.ClassDef | ast.FunctionDef
Definitions = list[Definition]


class Source:
    """A module of the package as text: its public names, definitions, imports and aliases of types."""

    def __init__(self, name: str) -> None:
        path = PACKAGE / name.replace(".", "/")
        found = (path.with_suffix(".py"), path.with_suffix(".pyi"), path / "__init__.py")
        tree = ast.parse(next(file for file in found if file.exists()).read_text())
        self.names: list[str] = []
        self.definitions: dict[str, Definitions] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self.aliases: dict[str, ast.expr] = {}
        package = "" if name == "__init__" else name if (path / "__init__.py").exists() else name.rpartition(".")[0]
        for node in [*tree.body, *(inner for outer in tree.body if isinstance(outer, ast.If) for inner in outer.body)]:
            if isinstance(node, Definition):
                self.definitions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ImportFrom) and node.level:
                base = package.split(".")[: len(package.split(".")) - node.level + 1] if package else []
                module = ".".join([part for part in [*base, node.module or ""] if part])
                self.imports.update({it.asname or it.name: (module, it.name) for it in node.names})
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                target = node.targets[0].id
                if target == "__all__":
                    self.names = ast.literal_eval(node.value)
                else:
                    self.aliases[target] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if ast.unparse(node.annotation) == "TypeAlias" and node.value is not None:
                    text = isinstance(node.value, ast.Constant) and node.value.value
                    self.aliases[node.target.id] = ast.parse(text, mode="eval").body if isinstance(text, str) else node.value


@functools.cache
def source(name: str) -> Source:
    """Returns a module, read once."""
    return Source(name)


def resolved(module: str, name: str) -> tuple[str, str]:
    """Returns the module that defines a name, and the name that it has there."""
    while name in source(module).imports:
        module, name = source(module).imports[name]
    return module, name


class Expanded(ast.NodeTransformer):
    """Names of types that readers know: an alias becomes its types."""

    def __init__(self, module: str) -> None:
        self.module = module

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in ("_WritableBuffer", "_KmsClient"):
            return ast.Name(node.id[1:])
        if node.id in source(self.module).imports:
            module, name = resolved(self.module, node.id)
            if name in source(module).aliases:
                return Expanded(module).visit(source(module).aliases[name])  # type: ignore[no-any-return]
            return ast.Name(name)
        alias = source(self.module).aliases.get(node.id)
        return node if alias is None else self.visit(ast.parse(ast.unparse(alias), mode="eval").body)  # type: ignore[no-any-return]

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return node


def expanded(module: str, node: ast.expr) -> str:
    """Returns the text of a type."""
    return ast.unparse(Expanded(module).visit(ast.parse(ast.unparse(node), mode="eval").body)).replace("'", '"')


def parameters(module: str, arguments: ast.arguments, bound: bool) -> list[str]:
    """Returns the parameters of a function, without that of its object."""

    def one(argument: ast.arg, default: ast.expr | None) -> str:
        text = argument.arg
        if argument.annotation is not None:
            text += f": {expanded(module, argument.annotation)}"
        equals = " = " if argument.annotation is not None else "="
        return text if default is None else f"{text}{equals}{ast.unparse(default)}".replace("'", '"')

    places = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(places) - len(arguments.defaults))
    made = [one(*pair) for pair in zip(places, [*defaults, *arguments.defaults], strict=True)]
    if arguments.posonlyargs:
        made.insert(len(arguments.posonlyargs), "/")
    if bound:
        made = made[1:]
    if arguments.vararg:
        made.append("*" + one(arguments.vararg, None))
    elif arguments.kwonlyargs:
        made.append("*")
    made += [one(*pair) for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [*made, "**" + one(arguments.kwarg, None)] if arguments.kwarg else made


def signature(module: str, node: ast.FunctionDef, name: str, bound: bool) -> str:
    """Returns the signature of a function, on one line if it fits."""
    result = "" if node.name in ("__new__", "__init__") or node.returns is None else f" -> {expanded(module, node.returns)}"
    given = parameters(module, node.args, bound)
    line = f"{name}({', '.join(given)}){result}"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {it},\n" for it in given) + f"){result}"


def linked(match: re.Match[str]) -> str:
    """Returns a reference of a docstring to another object, as a link if the page has it."""
    name = match[1].removeprefix("abreast.")
    found = [anchor for full, anchor in ANCHORS.items() if full == name or full.endswith(f".{name}")]
    return f"[`{match[1]}`](#{found[0]})" if found else f"`{match[1]}`"


def markdown(text: str) -> str:
    """Returns a docstring as Markdown: it is text with a little of reStructuredText."""
    made: list[str] = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith((">>>", "===")):
            made.append(f"```{'pycon' if part.startswith('>>>') else 'text'}\n{part}\n```")
        elif part.startswith("    "):
            made.append(f"```py\n{inspect.cleandoc(part)}\n```")
        else:
            part = re.sub(r"^(.+)\n-{3,}\n", r"**\1.** ", part)
            part = re.sub(r"^:raises (\w+): ", r"Raises \1 ", part)
            part = re.sub(r":\w+:`([^`]+)`", linked, part).replace("``", "`")
            made.append(part)
    return "\n\n".join(made)


def code(text: str) -> str:
    return f"```py\n{text}\n```\n"


def own_doc(node: Definition, value: Any) -> str:
    """Returns the docstring of an object: that of its source, or that of the compiled one."""
    return ast.get_docstring(node) or inspect.getdoc(value) or ""


def members(module: str, name: str, node: ast.ClassDef, value: type) -> Iterator[str]:
    """Returns the parts of a class: its fields and properties, and its methods."""
    methods: dict[str, list[ast.FunctionDef]] = {}
    fields: list[str] = []

    def field(name: str, kind: ast.expr, about: str, default: ast.expr | None = None) -> None:
        shown = f"{name}: {expanded(module, kind)}"
        if default and not isinstance(default, ast.Call):
            shown += f" = {ast.unparse(default)}".replace("'", '"')
        fields.append(f"* `{shown}`" + (f": {markdown(about)}" if about else "") + "\n")

    for part, after in zip(node.body, [*node.body[1:], None], strict=True):
        marks = [ast.unparse(mark) for mark in getattr(part, "decorator_list", [])]
        hidden = getattr(part, "name", "").startswith("_") and not getattr(part, "name", "").startswith("__")
        if hidden or any(mark.endswith(".setter") for mark in marks):
            continue
        if isinstance(part, ast.FunctionDef) and "property" in marks:
            assert part.returns
            field(part.name, part.returns, own_doc(part, getattr(value, part.name)))
        elif isinstance(part, ast.FunctionDef):
            methods.setdefault(part.name, []).append(part)
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and not part.target.id.startswith("_"):
            about = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and after.value.value
            field(part.target.id, part.annotation, about if isinstance(about, str) else "", part.value)
    yield "".join(fields)
    for method, nodes in methods.items():
        made = method in ("__new__", "__init__")
        if made or method.startswith("_") and not ast.get_docstring(nodes[0]):
            continue
        shown = f"{name}.{method}"
        called = name if method == "__call__" else shown
        yield f"#### {shown}\n\n" + code("\n".join(signature(module, it, called, True) for it in nodes))
        FUNCTIONS[shown] = own_doc(nodes[0], getattr(value, method))
        yield markdown(FUNCTIONS[shown]) + "\n"


def item(module: str, name: str, public: str) -> Iterator[str]:
    """Returns the parts of a public name."""
    value = getattr(importlib.import_module(public), name)
    place, inner = resolved(module, name)
    nodes = source(place).definitions.get(inner)
    yield f"### {full(public, name)}\n"
    if not nodes:
        alias = source(place).aliases.get(inner)
        yield code(f"{name} = {expanded(place, alias) if alias else repr(value)}")
        return
    first = nodes[0]
    if isinstance(first, ast.FunctionDef):
        yield code("\n".join(signature(place, it, name, False) for it in nodes if isinstance(it, ast.FunctionDef)))
        FUNCTIONS[full(public, name)] = own_doc(first, value)
        yield markdown(FUNCTIONS[full(public, name)]) + "\n"
        return
    bases = [expanded(place, base) for base in first.bases]
    bases = [base for base in bases if not base.startswith("_")]
    made = [it for it in first.body if isinstance(it, ast.FunctionDef) and it.name in ("__new__", "__init__")]
    shown = f"class {name}" + (f"({', '.join(bases)})" if bases else "")
    yield code("\n".join([shown, *(signature(place, it, name, True) for it in made)]))
    yield markdown(own_doc(first, value)) + "\n"
    yield from members(place, name, first, value)


def full(public: str, name: str) -> str:
    """Returns a name with its module, except for those of the package itself."""
    return f"{public}.{name}".removeprefix("abreast.")


def modules() -> list[str]:
    """Returns the public modules, the package itself first."""
    found = {file.stem for file in PACKAGE.glob("[a-z]*.py")} | {file.parent.name for file in PACKAGE.glob("[a-z]*/__init__.py")}
    return ["__init__", *sorted(found)]


def public_names(module: str) -> list[str]:
    """Returns the names that a module offers; some are left out of ``__all__``, since an import of all names would hide Python's own."""
    found = source(module)
    offered = [name for name, nodes in found.definitions.items() if name[0] != "_" and ast.get_docstring(nodes[0])]
    return [name for name in dict.fromkeys([*found.names, *offered]) if not name.startswith("_")]


ANCHORS: dict[str, str] = {}
"""The places of the page by the names that lead to them."""

FUNCTIONS: dict[str, str] = {}
"""The docstrings of the functions and methods of the page."""


def page() -> str:
    """Returns the page."""
    parts, index = [], []
    homes: dict[tuple[str, str], str] = {}
    offered = {module: ("abreast" if module == "__init__" else f"abreast.{module}", public_names(module)) for module in modules()}
    for module, (public, names) in offered.items():
        for name in names:
            home = full(homes.setdefault(resolved(module, name), public), name)
            ANCHORS[full(public, name)] = home.replace(".", "").lower()
    for module, (public, names) in offered.items():
        parts += [f"## {public}\n", markdown(inspect.getdoc(importlib.import_module(public)) or "") + "\n"]
        for name in names:
            if homes[resolved(module, name)] == public:
                parts += item(module, name, public)
        links = ", ".join(f"[`{name}`](#{ANCHORS[full(public, name)]})" for name in names)
        index.append(f"* [`{public}`](#{public.replace('.', '')}): {links}\n")
    return "\n".join([HEAD, "".join(index), *(part for part in parts if part.strip())])


if __name__ == "__main__":
    PAGE.write_text(page())
