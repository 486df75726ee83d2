"""The commands of ``arena``, one file each; what each of them defines for `arena.cli` is called ``command``."""
