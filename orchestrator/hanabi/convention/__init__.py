"""Conventions: what hints mean beyond what they say, and how a player acts who follows them.

It may import `hanabi` alone. Start with `hint_convention` (which card a hint points at), then `common_knowledge` (what
everybody can derive), `policy` (what a convention player does), `partner_model` (how far partners keep to the
convention), and `search` with its fast `rollout`.
"""
