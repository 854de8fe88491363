"""Kernels over trees and roles: arrays in, arrays out."""
