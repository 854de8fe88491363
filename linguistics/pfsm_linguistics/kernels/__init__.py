"""Kernels over trees and roles: arrays in, arrays out.

A kernel here calls no kernel of another file but those of `pfsm_kernels`: what is kept of compiled kernels is known by
the kernel's own file and by the sources of that package.
"""
