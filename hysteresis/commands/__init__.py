"""One module a verb of the command line: arguments, files in, files out; nothing is computed here.

Each offers ``add_arguments(parser)`` and ``run(arguments)``. A rule's ``code`` param is the digest
of the command it runs, so a change here, or in anything it reaches, remakes just that stage.
"""
