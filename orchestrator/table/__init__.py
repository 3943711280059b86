"""The table: what a seat is, and the loop that plays a game.

It may import `journal` and everything before it. Start with `seat` (View in, Decision out), then `game_loop`.
"""
