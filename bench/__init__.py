"""Measurements. ``python -m bench.referee`` and the like print what they measure, beside a floor from the same run."""
