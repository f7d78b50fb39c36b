"""`python -m cvinfer`: the same as the command `cvinfer`."""

from cvinfer.cli import main

if __name__ == "__main__":
    main(program="python -m cvinfer")
