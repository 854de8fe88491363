"""Discourse representation structures: built from trees and roles, read from clause files, compared."""
