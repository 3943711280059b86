"""A person's seat in the terminal: what they see at their turn, and how what they type is read.

A person sees nothing but their seat's View until the game has ended; partners' reasons and the deal
are told afterwards. Start reading at terminal_seat.py; the seat is
`orchestrator/players/person.py`.
"""
