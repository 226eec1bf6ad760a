"""Records as pages, tables and curves; reads nothing but the document.

Modules: cells, certificate, conditions, evidence, explanations, glossary, headline, page, pdf, profile, rounds,
svg, tables, text, ticks, tree, witnesses, words.
Imports: algebra, errors, games.
Start with: page and text.
"""
