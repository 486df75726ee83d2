"""Running strangers' programs, locked in.

`Cell` is one such place: a warm process that has loaded none of the bot's code, and for each match a fork of it that
puts the inner walls up before it does. `detect` tells what of this works on this machine, by trying to break out.
What stops what, and what is not stopped, stands in docs/security.md.
"""
