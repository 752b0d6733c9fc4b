"""Maps and groups of runs against scikit-learn's best of ten starts: make judge-similarity PYTHON=its interpreter

Made-up ensembles of runs: the stress of the map of their distances beside that of sklearn.manifold.MDS, and the
inertia of groups on the map beside that of sklearn.cluster.KMeans. Exits with 1 when one of ours is more
than 1.02 times theirs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.ensemble import united
from cbvtool.trace.ensemble.similarity.clusters import point_groups
from cbvtool.trace.ensemble.similarity.distances import tree_distances
from cbvtool.trace.ensemble.similarity.scaling import scaled_map
from tests.trace.ensemble.made import series, tree_paths

MOST = 1.02
GROUPS = (2, 3, 5, 8)
THEIRS = """
import json, sys, warnings
import numpy as np
from sklearn.cluster import KMeans
from sklearn.manifold import MDS
warnings.simplefilter("ignore")
told = []
for file in sys.argv[2:]:
    data = np.load(file)
    apart = data["distance"] / data["distance"].max()
    scaling = MDS(2, n_init=10, max_iter=1000, eps=1e-9, dissimilarity="precomputed", random_state=1)
    place = scaling.fit(apart).embedding_
    own = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1))
    stress = float(((own - apart) ** 2).sum() / 2 * data["distance"].max() ** 2)
    groups = json.loads(sys.argv[1])
    told.append([stress, [KMeans(k, n_init=10, random_state=1).fit(data["place"]).inertia_ for k in groups]])
print(json.dumps(told))
"""


def main(arguments: list[str] | None = None) -> int:
    """Print the ratios; 1 when one is too large."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path, help="an interpreter with scikit-learn")
    parser.add_argument("--count", type=int, default=20)
    chosen = parser.parse_args(arguments)
    ours, files = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(chosen.count):
            distance = made_distances(seed)
            found = scaled_map(distance)
            ours.append((found.stress, [point_groups(found.place, each).inertia for each in GROUPS]))
            files.append(f"{folder}/{seed}.npz")
            np.savez(files[-1], distance=distance, place=found.place)
        command = [str(chosen.python), "-c", THEIRS, json.dumps(GROUPS), *files]
        theirs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    stress = [one[0] / other[0] for one, other in zip(ours, theirs, strict=True)]
    inertia = [
        one / other
        for (_, own), (_, others) in zip(ours, theirs, strict=True)
        for one, other in zip(own, others, strict=True)
    ]
    for name, ratios in (("stress", stress), ("inertia", inertia)):
        print(f"{name}: {np.median(ratios):.4f} of scikit-learn's (median of {len(ratios)}), at most {max(ratios):.4f}")
    return int(max(*stress, *inertia) > MOST)


def made_distances(seed: int) -> npt.NDArray[np.float64]:
    """Distances of 40 runs of 60 call paths, in one to four heaps, with noise."""
    rng = np.random.default_rng([seed, 4])
    heaps = int(rng.integers(1, 5))
    usual = rng.uniform(1.0, 9.0, (heaps, 60))
    times = usual[rng.integers(0, heaps, 40)] * rng.normal(1.0, rng.choice([0.02, 0.1, 0.3]), (40, 60))
    return tree_distances(united(series(tree_paths(rng, 60), np.maximum(times, 0.0))).inclusive)


if __name__ == "__main__":
    raise SystemExit(main())
