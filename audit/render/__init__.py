"""Records as pages, tables and curves; reads nothing but the document.

Modules: asked, cells, certificate, compiled, conditions, context, curves, drawing, evidence, explained, explanations,
facts, figures, floats, glossary, headline, layout, markdown, numbers, page, pdf, picture, plainly, profile,
reproduction, risk, rounds, shades, svg, tables, text, ticks, tree, witnesses, words.
Imports: algebra, errors, games.
Start with: page and text.
"""
