"""Databases of HPCToolkit: a folder with `experiment.xml` and `*.metric-db`, or with `meta.db` and `profile.db`."""

from __future__ import annotations

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.readers import hpctoolkit_db, hpctoolkit_xml
from cbvtool.trace.readers.content import whole
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource

NAME = "hpctoolkit"
LABEL = "HPCToolkit database"
_XML, _META, _PROFILE = "experiment.xml", "meta.db", "profile.db"


def sniff(source: TraceSource) -> bool:
    """A folder with the files of either generation, or an `experiment.xml` alone."""
    if source.is_folder:
        return _XML in source.names or {_META, _PROFILE} <= set(source.names)
    return b"<HPCToolkitExperiment" in source.head or b"<!DOCTYPE HPCToolkitExperiment" in source.head


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile, by rank and thread where the folder has their values."""
    progress("reading", 0, 0)
    if not source.is_folder:
        return [hpctoolkit_xml.read(whole(source, budget), (), budget)]
    if _XML in source.names:
        values = [name for name in source.names if name.endswith(".metric-db")]
        files = ((name, whole(TraceSource(source.path / name), budget)) for name in values)
        return [hpctoolkit_xml.read(whole(TraceSource(source.path / _XML), budget), files, budget)]
    meta, profile = (whole(TraceSource(source.path / name), budget) for name in (_META, _PROFILE))
    return [hpctoolkit_db.read(meta, profile, budget)]
