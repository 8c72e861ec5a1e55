"""The changed functions that no workload measured."""

from collections.abc import Sequence

from profgate.model.bounded import Count
from profgate.model.change import Location
from profgate.model.record import Record


class BlindSpots(Record):
    """The added and edited functions of a pull request that no workload is known to have measured.

    ``changed`` is the number of all these functions. No workload measured the ``missed`` ones. Of the ``unknown`` ones,
    this is not known, because a compiler may have inlined them, or because the profiles do not distinguish functions
    with the same name. The profiles show no function in the language of the ``unseen`` ones. ``share`` is the share of
    a run below which sampling misses a function in more than 5 % of cases, or 0 if call counts prove that the missed
    functions did not run. ``complete`` is False if further changes are not known.
    """

    changed: Count
    missed: tuple[Location, ...] = ()
    unknown: tuple[Location, ...] = ()
    unseen: tuple[Location, ...] = ()
    share: float = 0.0
    complete: bool = True

    @property
    def measured(self) -> int:
        """The number of changed functions that were measured."""
        return max(0, self.changed - len(self.missed) - len(self.unknown) - len(self.unseen))


def of_all_shards(shards: Sequence[BlindSpots]) -> BlindSpots:
    """Return the blind spots of one change that all shards share. ``shards`` is not empty."""
    lacking = [{*one.missed, *one.unknown, *one.unseen} for one in shards]
    unknown = {location for one in shards for location in one.unknown}
    missed = {location for one in shards for location in one.missed} - unknown
    every = (*shards[0].missed, *shards[0].unknown, *shards[0].unseen)
    left = [location for location in every if all(location in of_shard for of_shard in lacking)]
    return BlindSpots(
        max(one.changed for one in shards),
        tuple(location for location in left if location in missed),
        tuple(location for location in left if location in unknown),
        tuple(location for location in left if location not in missed | unknown),
        max(one.share for one in shards),
        all(one.complete for one in shards),
    )
