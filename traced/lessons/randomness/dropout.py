"""Drop or double each entry of a batch, by a mask that depends on the key and the id of its row."""

from itertools import combinations
from typing import Any

import jax
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.randomness.draws import (
    compare_types,
    deviation,
    equations_do_not_grow,
    follows_its_key,
    require_unrelated,
    without_reuse_checker,
)
from traced.lessons.randomness.solutions.dropout import dropout as solution
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

#: Some differ by a power of two or of ten, and would be one in fewer digits; two are neighbours at
#: each end.
_IDS = np.array([7, 2**16 - 1, 2**16 - 2, 0, 10_007, 1, 60_001, 7 + 2**15], np.int32)

_BATCH = np.arange(1, 16_393, dtype=np.float32).reshape(8, 2049)

#: Small entries and large ones, which may not decide either.
_UNEVEN = np.float32((_BATCH - 8000.5) * np.where(_BATCH % 2 == 0, 1e-4, 1e4))

#: Rows of equal entries, and of entries that nearly are.
_ALIKE = np.float32(np.where((_BATCH % 2 == 0) & (np.arange(8)[:, None] > 3), 1.000001, 1))

#: Of so many ids that each place in a row can be judged by itself, and all together tell one half
#: from 0.505. They are those at the two ends.
_MANY_IDS: Any = np.int32(np.r_[:2048, 2**16 - 2048 : 2**16])
_MANY_ROWS = np.float32(np.arange(128 * 4096) % 20480 + 1).reshape(4096, 128)


def _so_many(rows: int) -> tuple[Any, Any]:
    """Return so many ids and rows, the first of them or the first again."""
    return np.resize(_IDS, rows), np.resize(_BATCH, (rows, _BATCH.shape[1]))


def _dropped(answer: Any, key: Any, ids: Any, batch: Any) -> Any:
    return attempt(answer, key, *jax.device_put((ids, batch)))


def _drops_or_doubles_each_entry(answer: Any) -> None:
    for ids, batch in ((_IDS, _BATCH), (_IDS[:1], -_BATCH[:1] / 3)):
        given = f"{len(ids)} ids, batch = f32{list(batch.shape)}"
        got = _dropped(answer, random.key(0), ids, batch)
        compare_types(batch, got, given)
        ratio = np.unique(np.round(np.asarray(got) / batch, 5))
        saw = {"given": given, "wanted": "each entry 0 or doubled", "got_of_each_entry": ratio}
        require(set(ratio) <= {0, 2}, "value/differs", **saw)


def _drops_half_of_each_row_unrelated(answer: Any) -> None:
    kept = np.asarray(_dropped(answer, random.key(0), _IDS, _BATCH)) != 0
    for i, share in enumerate(kept.mean(axis=1), start=1):
        require(0 < share < 1, "keys/related", between=f"all entries of row {i}", kept=share)
    named = {f"row {i}": row for i, row in enumerate(kept.astype(float), start=1)}
    # Rows that share most of a mask first: they repeat each other's shape.
    _have_unlike_masks(named)
    _relates_no_entries(kept, "entries of a row {} apart")
    require_unrelated(named)
    _varies_its_counts(kept, "row")
    _has_equal_chances(kept, "row")
    rows = {f"id {i} with key(0)": row for i, row in zip(_IDS, kept.astype(float), strict=True)}
    # Where a key and an id are added up, the next key and the id before make the same sum.
    other = np.asarray(_dropped(answer, random.key(1), _IDS, _BATCH)) != 0
    beside = zip(_IDS, other.astype(float), strict=True)
    require_unrelated(rows | {f"id {i} with key(1)": row for i, row in beside})
    # A key has two words, of which `key(seed)` fills one.
    both = random.wrap_key_data(jax.device_put(np.array([1, 1], np.uint32)))
    third = np.asarray(_dropped(answer, both, _IDS, _BATCH)) != 0
    beside = zip(_IDS, third.astype(float), strict=True)
    unlike = {f"id {i} with key(1)": row for i, row in zip(_IDS, other.astype(float), strict=True)}
    require_unrelated(rows | unlike | {f"id {i} with the key of words 1, 1": r for i, r in beside})


def _drops_half_of_each_column_unrelated(answer: Any) -> None:
    kept = np.asarray(_dropped(answer, random.key(0), _MANY_IDS, _MANY_ROWS)).T != 0
    _has_a_mask_for_each_id(kept.T)
    _has_equal_chances(kept, "column")
    kept = kept[:5]
    require_unrelated({f"column {i}": row for i, row in enumerate(kept.astype(float), start=1)})
    _varies_its_counts(kept, "column")
    _relates_no_entries(kept, "rows {} apart, of ids 0 to 2047 and 63488 to 65535")


def _has_a_mask_for_each_id(kept: Any) -> None:
    """Require no mask of another row: of so many entries, no two come alike by chance."""
    before: dict[bytes, Any] = {}
    for i, mask in zip(_MANY_IDS, kept, strict=True):
        other = before.setdefault(mask.tobytes(), i)
        saw = {"between": f"id {other} and id {i}", "correlation": "1.00"}
        require(other == i, "keys/related", **saw)


def _has_equal_chances(kept: Any, what: str) -> None:
    for of, part in (
        *((f"{what} {i}", row) for i, row in enumerate(kept, start=1)),
        ("all", kept),
    ):
        # The standard deviation of a share of one half is half the root of its number.
        fine = abs(part.mean() - 0.5) < deviation(len(kept) + 1) / 2 / np.sqrt(part.size)
        saw = {"of": of, "kept": f"{part.mean():.3f}", "wanted": "0.500"}
        require(bool(fine), "value/distribution", **saw)


def _have_unlike_masks(rows: Any) -> None:
    """Require each two rows to differ in a fourth of their entries at least."""
    for (one, left), (other, right) in combinations(rows.items(), 2):
        share = float(np.mean(left == right))
        saw = {"between": f"{one} and {other}", "equal": f"{share:.1%} of their mask"}
        require(0.25 < share < 0.75, "keys/related", **saw)


def _varies_its_counts(kept: Any, row: str) -> None:
    """Require counts that vary from row to row, as those of entries with equal chances do."""
    counts = kept.sum(axis=1)
    saw = {"between": f"the entries kept in each {row}", f"kept_of_each_{row}": counts}
    require(len(set(counts)) > 1, "keys/related", **saw)


def _relates_no_entries(kept: Any, apart: str) -> None:
    """Require no relation of entries some places apart."""
    size = kept.shape[1]
    # The correlation of a row with itself, moved round by each number of places.
    centred = kept - kept.mean(axis=1, keepdims=True)
    found = np.fft.irfft((abs(np.fft.rfft(centred)) ** 2).sum(axis=0), size)[1 : (size + 1) // 2]
    found /= np.sum(centred**2)
    worst = int(np.argmax(abs(found)))
    saw = {"between": apart.format(worst + 1), "correlation": f"{found[worst]:.2f}"}
    limit = deviation(len(found)) / np.sqrt(kept.size)
    require(bool(abs(found[worst]) < limit), "keys/related", **saw)


def _drops_the_same_in_any_batch(answer: Any) -> None:
    seen: dict[int, Any] = {}
    for rows in (range(8), (2,), (6,), (6, 2, 0, 5, 1, 7, 3, 4)):
        at = np.array(rows)
        batch = np.asarray(_dropped(answer, random.key(0), _IDS[at], _BATCH[at]))
        for i, row in zip(rows, batch, strict=True):
            saw = {"id": _IDS[i], "in_a_batch_of": _IDS.tolist(), "and_of": _IDS[at].tolist()}
            require(np.array_equal(seen.setdefault(i, row), row), "keys/batch-dependent", **saw)


def _drops_the_same_of_other_entries(answer: Any) -> None:
    """Require one mask for one id: in a batch of other entries, and for two rows of one batch."""
    at = np.array([0, 1, 0, 3, 0, 5, 6, 7])
    masks: dict[int, tuple[Any, str]] = {}
    other = "with other entries, row {} of"
    batches = (_BATCH, "row {} of"), (-_BATCH[::-1], other), (_UNEVEN, other), (_ALIKE, other)
    for batch, which in batches:
        kept = np.asarray(_dropped(answer, random.key(0), _IDS[at], batch)) != 0
        for row, (i, mask) in enumerate(zip(at, kept, strict=True), start=1):
            here = f"{which.format(row)} ids {_IDS[at].tolist()}"
            before, there = masks.setdefault(i, (mask, here))
            saw = {"id": _IDS[i], "dropped_otherwise": f"{there}; {here}"}
            require(np.array_equal(before, mask), "keys/batch-dependent", **saw)


dropout = Exercise(
    name="dropout",
    questions=without_reuse_checker(
        _drops_or_doubles_each_entry,
        follows_its_key(*jax.device_put((_IDS, _BATCH))),
        spends_each_key_once(random.key(0), *jax.device_put((_IDS, _BATCH[:, :64]))),
        # Before thousands of rows: a loop in Python would take that many steps.
        equations_do_not_grow(lambda n: (random.key(0), *jax.device_put(_so_many(n))), 4, 8),
        _drops_half_of_each_row_unrelated,
        _drops_half_of_each_column_unrelated,
        _drops_the_same_in_any_batch,
        _drops_the_same_of_other_entries,
    ),
    hints=(
        "Two batches share an example and its id, and nothing else. "
        "Which of these may decide what is dropped?",
        "`random.fold_in(key, i)` makes a key of a number, also of a traced one. "
        "`random.bernoulli` draws True or False.",
        "A function of one id and one row that makes the key of this row, draws a mask and selects "
        "by it; `vmap` maps it over both arguments.",
    ),
    verified="masks of eight rows unrelated; one mask for each id, whatever its row and its batch",
    answer=solution,
)
