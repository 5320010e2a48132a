"""Configure the site, which Sphinx makes from the stored outputs of the lessons, running none."""

import sys
from pathlib import Path

OURS = Path(__file__).parent / "docs/_extensions"
sys.path.append(str(OURS))

project = html_title = "JAX, Traced"
language = "en"
# `lesson_pages` keeps MyST-NB from importing what only executes, hence it comes first.
extensions = ["lesson_pages", "myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton"]
extensions += sorted(path.stem for path in OURS.glob("*.py"))
include_patterns = ["index.md", "CONTRIBUTING.md", "docs/**", "notebooks/**"]
# Of each pair the `.ipynb` is the page, since it has the outputs; `.venv` is slow to walk.
exclude_patterns = ["notebooks/*.md", "docs/pictures.md", "**/.ipynb_checkpoints"]
exclude_patterns += ["_build", ".venv", "docs/_*"]
templates_path = ["docs/_templates"]

autodoc_typehints = "none"  # the text says what the types cannot
default_role = "code"
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
nb_ipywidgets_js = {}  # by default, two scripts from other hosts
myst_enable_extensions = ["alert", "dollarmath"]
myst_heading_anchors = 3
# Outputs, the answers in a console session and what the review shows are for reading.
copybutton_selector = "div:not(.output, .review *) > div.highlight pre"
copybutton_exclude = ".linenos, .gp, .go"
linkcheck_anchors = False  # many a page makes them by a script

html_use_index = html_domain_indices = False  # the search finds what they list
html_theme = "sphinx_book_theme"
html_static_path = ["docs/_static"]
html_favicon = "docs/_static/trace.svg"
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["brand.html", "search-button-field.html", "shared-sidebar-nav-bs.html"]}
# What the address of the course adds to these, `addresses` reads in `pyproject.toml`.
html_theme_options = {
    "article_header_start": ["toggle-primary-sidebar.html", "topbar.html"],
    "article_footer_items": ["related.html", "again.html", "executed.html"],
    "back_to_top_button": False,  # it covers the text
    "footer_content_items": [],
    "navbar_persistent": [],  # by default, a second search field
    "repository_branch": "main",
    "disable_search": True,  # the theme's own; ours is `search_index`
    "show_toc_level": 2,
}
