"""How the pages become a site: Sphinx, MyST and furo; nothing is fetched, and a warning is an error."""

import tomllib
from pathlib import Path

_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = _PROJECT["name"]
release = version = _PROJECT["version"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
nitpicky = True

myst_heading_anchors = 3
myst_links_external_new_tab = False
suppress_warnings: list[str] = []

html_theme = "furo"
html_title = f"dpcert {version}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "monokai"
