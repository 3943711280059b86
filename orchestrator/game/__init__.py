"""What every game has in common, so that one table plays all of them: moves, views, referees, and the games by name.

No game is known here: a game's module is imported when its name is first used. This folder imports `errors`, `plugins`,
`replies` and `values`. Start with `types`, then `registry` (the games), `stored` (how moves and views are read back)
and `reading` (which legal move an answer means, where a game has no reading of its own).
"""
