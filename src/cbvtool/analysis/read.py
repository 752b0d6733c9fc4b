"""Read one source file as UTF-8 with Unix line ends, or say why that fails."""

from __future__ import annotations

import codecs
import hashlib

from cbvtool.regular_file import Unreadable

SOURCE_LIMIT = 5_000_000  # bytes; larger ones are data or generated, and would take a worker's memory

# Suffixes of languages that are published minified; with longer lines on average, in bytes, a file is minified.
_MINIFIABLE = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_MINIFIED_LINE = 500
_MINIFIED_LEAST = 5_000  # bytes; a shorter file may be one long line of data

# Marks at the start of a file, the longer ones first: UTF-32's little-endian mark begins like UTF-16's.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Codecs with quadratic cost; source is not written in them.
_REFUSED_CODECS = frozenset({"idna", "punycode"})


def is_minified(data: bytes, name: str) -> bool:
    """Whether the file called `name` is minified: a program has removed its line breaks."""
    if len(data) < _MINIFIED_LEAST or not name.endswith(_MINIFIABLE):
        return False
    return len(data) > _MINIFIED_LINE * (data.count(b"\n") + 1)


def digest(data: bytes) -> bytes:
    """16 bytes that identify a content."""
    return hashlib.blake2b(data, digest_size=16).digest()


def to_utf8(data: bytes, declared: str | None = None) -> bytes:
    """`data` as valid UTF-8 without a byte order mark and with `\\n` as line end; raises Unreadable.

    A byte order mark decides; then the `declared` encoding; then UTF-8.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), declared or "utf-8")
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError) as error:
        raise Unreadable(f"names an unknown encoding, {encoding!r}") from error
    if encoding not in ("utf-16", "utf-32") and b"\0" in data:
        raise Unreadable("is binary (holds NUL bytes)")
    if codec.name in _REFUSED_CODECS:
        raise Unreadable(f"is written in {codec.name!r}, which is no encoding for source text")
    try:
        text = data.decode(encoding)
        if codec.name not in ("utf-8", "ascii"):
            data = text.encode()
    except (LookupError, ValueError) as error:  # LookupError: the codec is not for text, such as rot13
        raise Unreadable(f"cannot be decoded as {encoding.removesuffix('-sig')}") from error
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def to_utf8_or_latin(data: bytes) -> bytes:
    """As `to_utf8`, for languages whose encoding the build decides: text that is not UTF-8 is read as Latin-1."""
    try:
        return to_utf8(data)
    except Unreadable as reason:
        if "decoded" not in str(reason):
            raise
        return to_utf8(data, "latin-1")
