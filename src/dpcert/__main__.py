"""`python -m dpcert` is the command line."""

from dpcert.audit.commands.cli import main

if __name__ == "__main__":
    main()
