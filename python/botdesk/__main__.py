"""The command line: `python -m botdesk`."""

from botdesk._cli import main

if __name__ == "__main__":
    main()
