"""Makes files until no more can be made."""


def attack():
    for number in range(5000):
        open(f"/tmp/{TARGETS['word']}-{number}", "wb").close()
    return "5000 files"
