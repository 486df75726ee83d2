"""The protocol, by version. `make protos` generates it; only the `__init__` files are written by hand."""
