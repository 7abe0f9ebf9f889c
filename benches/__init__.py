"""The benchmarks: botdesk compared with code that a careful user would write by hand, all in one run.

`python -m benches` measures and writes `benches/RESULTS.md`. A case is a module with a function `tables`; a row is one
more function in it.
"""
