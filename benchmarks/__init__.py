"""Timings, apart from the tests: they depend on the machine and its neighbours."""
