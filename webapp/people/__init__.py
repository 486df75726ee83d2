"""People at the table: somebody takes a seat in the browser and plays a match against bots."""
