"""The tables that are printed: a module a table, each with ``make(TableInputs) -> PrintedTable``.

Loaded by name, so that the digest of one table's rule does not follow the other tables.
"""
