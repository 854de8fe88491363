"""The word lists of this package, as `pfsm.facts.lists` reads them."""

from pfsm.facts.lists import Lists

_SHIPPED = Lists("pfsm_linguistics.resources")
rows, table, words, by_word = _SHIPPED.rows, _SHIPPED.table, _SHIPPED.words, _SHIPPED.by_word
