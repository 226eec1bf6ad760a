"""What is raised where states of code cannot be told apart, or told to be one, for sure."""


class Unknown(BaseException):
    """A state of which not all is known that its future may depend on; the text says why.

    No Exception: it is no error of the user's.
    """
