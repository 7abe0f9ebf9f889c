"""What the classes of records and resources need besides the native module. Its types are in `_types.pyi`."""

from botdesk._native import _Unset

# Importing `typing` for it takes longer than the rest of the import.
TYPE_CHECKING = False

# The default of an argument that is left out. None is a value: some inputs can be set to null.
UNSET = _Unset()
