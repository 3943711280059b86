"""What people see in a terminal: a live view of a game, a summary of a finished game, one turn,
graphs, roles, prompts.

Start reading at terminal.py; game_story.py and turn_story.py are the command `show`.
"""
