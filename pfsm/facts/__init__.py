"""English: what pfsm knows of one language, found by name through `pfsm.registry`."""
