"""The files of pfsm's encoder shipped:large."""
