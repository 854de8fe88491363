"""The studio: pages of comparisons, explanations and trainings, an HTTP service, and a workbench in the browser.

The core finds it by the entry points of this distribution, as it finds packages of others.
"""
