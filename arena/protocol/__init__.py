"""The protocol, by version. Generated from `protos/` by `make protos`; only the `__init__` files are written by hand."""
