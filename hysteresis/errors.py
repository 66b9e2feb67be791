"""The one exception that reaches a user as a single line instead of a traceback."""


class UserError(Exception):
    """Something the user can mend: the message says what, where, and what to do.

    The command line prints it as one line and exits with status 2; nothing is left half-written.
    """
