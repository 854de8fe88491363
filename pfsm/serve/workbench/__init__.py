"""The workbench: a page of the server, and what only that page asks for."""
