"""Matchers over trees and semantic roles."""
