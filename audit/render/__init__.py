"""Records as pages, tables and curves; reads nothing but the document."""
