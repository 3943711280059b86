"""What people see in a terminal: a game while it is played, its story, a turn, graphs, roles and prompts.

It may import results. Start reading at terminal.py; game_story.py and turn_story.py are the command `show`.
"""
