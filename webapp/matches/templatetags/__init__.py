"""Tags of the pages that show replays."""
