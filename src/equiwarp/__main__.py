"""``python -m equiwarp``: the command line where no script is on the path."""

from equiwarp.cli import main

if __name__ == "__main__":
    main(prog_name="equiwarp")
