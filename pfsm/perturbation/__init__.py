"""Changes of good translations, made on purpose: minimal pairs whose worse side has one fault of a known kind.

A kind is a decorated function in `pfsm.perturbation.kinds`. It takes a text and gives the text with one change.
Kinds of severity ``none`` change the writing and keep the meaning. Kinds that need a parser are found as entry points
``pfsm.perturbations`` of our own packages.
"""
