"""What every printed table is made from: tables by the role that they play in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.jobs.pair import MatchSettings


@dataclass(frozen=True)
class TableInputs:
    """All that a printed table may know.

    ``tables``: of each role those given, in their order; tables of seeds stand one below the other
    as one. ``match``: the criterion of the behavioural match.
    """

    tables: Mapping[str, Sequence[pd.DataFrame]]
    match: MatchSettings | None = None

    def one(self, role: str) -> pd.DataFrame:
        """The table of a role that must have exactly one; else UserError."""
        found = self.tables.get(role, ())
        if len(found) != 1:
            raise UserError(
                f"table: {len(found)} tables were given as {role!r}; let --job name one such source"
            )
        return found[0]

    def any(self, role: str) -> Sequence[pd.DataFrame]:
        """The tables of a role that may have none or several."""
        return self.tables.get(role, ())

    def criterion(self) -> MatchSettings:
        """``match`` for a table that states it; UserError where the job does not tell it."""
        if self.match is None:
            raise UserError("table: the criterion of the match is not given; let --job name match")
        return self.match
