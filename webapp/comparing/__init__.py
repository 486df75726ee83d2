"""Is my new version better? Played and told to its author, and counted for nothing else."""
