"""Which annotations class files hold (JVMS 4.7.16 to 4.7.21), also those that jdeps does not look at."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_UTF8, _CLASS, _LONG, _DOUBLE = 1, 7, 5, 6
_TARGETS = {0x00: 1, 0x01: 1, 0x10: 2, 0x11: 2, 0x12: 2, 0x16: 1, 0x17: 2} | dict.fromkeys(range(0x42, 0x47), 2)
_TARGETS |= {0x13: 0, 0x14: 0, 0x15: 0} | dict.fromkeys(range(0x47, 0x4C), 3)
_LOCALS = (0x40, 0x41)  # targets with a table


def annotations_of(folder: Path) -> Iterator[tuple[str, str]]:
    """(class, annotation on it, on a member, on a parameter or on a type in it), full names with `$`."""
    for path in folder.rglob("*.class"):
        if path.name != "module-info.class":
            reader = _Reader(path.read_bytes())
            yield from ((reader.name, annotation) for annotation in reader.annotations())


class _Reader:
    """One class file."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 8
        self._texts: dict[int, str] = {}
        self._found: set[str] = set()
        classes: dict[int, int] = {}
        number, count = 1, self._u2()
        while number < count:
            tag = self._u1()
            if tag == _UTF8:
                size = self._u2()
                self._texts[number] = data[self._at : self._at + size].decode("utf-8", "replace")
                self._at += size
            else:
                if tag == _CLASS:
                    classes[number] = struct.unpack_from(">H", data, self._at)[0]
                self._at += _SIZES[tag]
            number += 1 + (tag in (_LONG, _DOUBLE))
        self._u2()  # flags
        self.name = self._texts[classes[self._u2()]].replace("/", ".")
        self._u2()  # superclass
        self._skip(2 * self._u2())  # interfaces

    def annotations(self) -> set[str]:
        """The annotations in the file, full names."""
        for _ in range(2):  # fields, methods
            for _ in range(self._u2()):
                self._at += 6
                self._attributes()
        self._attributes()
        return {name[1:-1].replace("/", ".") for name in self._found}

    def _attributes(self) -> None:
        for _ in range(self._u2()):
            name, size = self._texts[self._u2()], self._u4()
            end = self._at + size
            if name == "Code":
                self._at += 4
                self._skip(self._u4())
                self._skip(8 * self._u2())
                self._attributes()
            elif name == "Record":
                for _ in range(self._u2()):
                    self._at += 4
                    self._attributes()
            elif name in ("RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"):
                self._several()
            elif name.endswith("ParameterAnnotations"):
                for _ in range(self._u1()):
                    self._several()
            elif name.endswith("TypeAnnotations"):
                for _ in range(self._u2()):
                    target = self._u1()
                    self._skip(6 * self._u2() if target in _LOCALS else _TARGETS[target])
                    self._skip(2 * self._u1())
                    self._annotation()
            elif name == "AnnotationDefault":
                self._value()
            self._at = end

    def _several(self) -> None:
        for _ in range(self._u2()):
            self._annotation()

    def _annotation(self) -> None:
        self._found.add(self._texts[self._u2()])
        for _ in range(self._u2()):
            self._u2()
            self._value()

    def _value(self) -> None:
        kind = chr(self._u1())
        if kind == "e":
            self._found.add(self._texts[self._u2()])
            self._u2()
        elif kind == "c":
            described = self._texts[self._u2()].lstrip("[")
            if described.startswith("L"):
                self._found.add(described)
        elif kind == "@":
            self._annotation()
        elif kind == "[":
            for _ in range(self._u2()):
                self._value()
        else:
            self._u2()

    def _skip(self, count: int) -> None:
        self._at += count

    def _u1(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _u2(self) -> int:
        self._at += 2
        return int(struct.unpack_from(">H", self._data, self._at - 2)[0])

    def _u4(self) -> int:
        self._at += 4
        return int(struct.unpack_from(">I", self._data, self._at - 4)[0])
