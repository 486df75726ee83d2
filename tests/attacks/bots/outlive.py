"""Leaves itself in its own package, to be there in the next match."""

import pathlib


def attack():
    pathlib.Path(__file__).with_name("sitecustomize.py").write_text("remembered = True")
    return "written into its own package"
