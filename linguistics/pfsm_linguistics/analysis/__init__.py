"""Tags, trees and their probabilities for sentences, from files or parsers."""
