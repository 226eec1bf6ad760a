"""RandBins that follow from a promise (epsilon, delta), with certificates, and plans that compare them.

Modules: certificate, certified, designed, gaussian, gaussian_costs, gaussian_design, gaussian_floats, gaussian_report,
gaussian_search, paper, parts, plan, plan_document, plan_report, promise, reach, report, sharp.
Imports: audit.algebra, audit.budget, audit.errors, audit.games, audit.kernels, audit.records, audit.render,
audit.verdicts, live, noise, randbin, sums.
Start with: designed, then plan.
"""
