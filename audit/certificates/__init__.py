"""Certificates: what an audit found, written out so that a stranger can check it without the solver. Prints nothing.

lines, outward, bounding; game_lines, play_lines; certificate, rebuilt. Imports `examine` and what stands below it.
"""
