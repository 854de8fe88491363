"""Discourse representation structures, built from trees and roles."""
