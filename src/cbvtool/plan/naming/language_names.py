"""What a language takes for a name: one rule for planning and for carrying out."""

from __future__ import annotations

import keyword
import re

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_JAVA_KEYWORDS = re.compile(
    "abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|final|"
    "finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|package|private|protected|"
    "public|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|try|void|volatile|while|"
    "true|false|null|_"
)


def is_java_name(word: str) -> bool:
    """Whether a package or a type of Java can be called so."""
    return _IDENTIFIER.fullmatch(word) is not None and _JAVA_KEYWORDS.fullmatch(word) is None


def is_python_name(word: str) -> bool:
    """Whether an import or a definition of Python can call something so."""
    return word.isidentifier() and not keyword.iskeyword(word)


def is_package_name(word: str, language: str) -> bool:
    """Whether a new package can be called so; `language` as `PackageNames.language` says it."""
    if language == "java":
        return is_java_name(word)
    if language == "python":
        return is_python_name(word)
    return language != "jvm" or "." not in word


def package_refusal(name: str, language: str) -> str:
    """Why a new package cannot be called `name`, in one sentence; empty = it can."""
    if is_package_name(name, language):
        return ""
    if "." in name:
        return f"{name} is no name of one package: a dot stands between a package and a package in it."
    return f"A package cannot be called {name}: that is no name in {language.capitalize()}."
