"""A context that says something of everything, as a file and as the table that it holds."""

CONTEXT = """
schema = "dpcert.context/1"
delta = 1e-8
trust_model = "central"
trust = "The operations team sees visits before noise."
query_model = "non-interactive"
queries = "Counts of each day, for everybody."
other_releases = "none"
at_exhaustion = "Counting ends, and begins anew with other visitors."
code = "own"
implementation = "visits.py, reviewed in June"
sampler = "whole numbers from the operating system"
floating_point = "none is used"
side_channels = "Releases come at fixed times."
utility = "within 10 of the true count on 9 days of 10"
security = "two administrators, by key"
collection = "Doors count; nothing else is kept."

[unit]
name = "one visit"
situations = ["the visit is counted", "another visit is counted in its place"]
contribution = "one input a round, by the door"
resets = "never"

[registry]
url_slug = "visits"
name = "Visits"
data_curators = [{ data_curator_name = "A library", data_curator_type = "Nonprofit" }]
description = "Visits of each day.\\nWith noise."
intended_use = "Opening hours."
data_product_type = "Summary statistics"
data_product_region = "One town"
data_product_sector = "Education"
publication_date = 2026-01-31
data_domain = "days of visits"
unprotected_quantities = "none"
number_of_privacy_units = 1000
actors = "everybody"
data_source_type = "Dynamic"
preprocessing_and_hyperparameter_tuning = "none"
composition = "the whole stream at once"
post_processing = "none"
justification = "asked for by the town"
additional_information = "none"
registry_authors = ["A. Librarian"]
"""
