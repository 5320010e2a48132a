"""Configure the site, which Sphinx makes from the stored outputs of the lessons, running none."""

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

# Nothing is executed, so that MyST-NB needs neither of its ways to do it, nor a database for one:
# to import them takes two of the twenty-four seconds of a build.
for name in ("Cache", "Direct"):
    way = SimpleNamespace(**{f"NotebookClient{name}": None})
    sys.modules[f"myst_nb.core.execute.{name.lower()}"] = way
ROOT = Path(__file__).parent
sys.path.append(str(ROOT / "docs/_extensions"))
# The only place that knows where the course is: a fork changes `[project.urls]` there.
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
REPOSITORY = URLS.get("Repository", "")
ADDRESS = URLS.get("Documentation", "").rstrip("/")

project = html_title = "JAX, Traced"
language = "en"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "answers",
    "bundle",
    "choices",
    "code_lines",
    "course_map",
    "error_page",
    "glossary_links",
    "guide_links",
    "lesson_pages",
    "local_mathjax",
    "phrasebook_sides",
    "review",
    "search_index",
]
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

html_theme = "sphinx_book_theme"
html_static_path = ["docs/_static"]
html_favicon = "docs/_static/trace.svg"
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["brand.html", "search-button-field.html", "shared-sidebar-nav-bs.html"]}
html_theme_options = {
    "article_header_start": ["toggle-primary-sidebar.html", "topbar.html"],
    "article_footer_items": ["related.html", "again.html", "executed.html"],
    "back_to_top_button": False,  # it covers the text
    "footer_content_items": [],
    "navbar_persistent": [],  # by default, a second search field
    "repository_branch": "main",
    "repository_url": REPOSITORY,
    "disable_search": True,  # the theme's own; ours is `search_index`
    "show_toc_level": 2,
    "use_repository_button": bool(REPOSITORY),
}
linkcheck_anchors = False  # many a page makes them by a script
if ADDRESS:  # a picture and a sitemap name it, and a page that is missing is looked for anywhere
    extensions += ["notfound.extension", "sphinx_sitemap", "sphinxext.opengraph"]
    html_baseurl = ogp_site_url = f"{ADDRESS}/"
    notfound_template = "404.html"
    notfound_urls_prefix = f"{urlsplit(ADDRESS).path}/"
    ogp_description_length = 0  # ours comes from `course_map`
    ogp_social_cards = {
        "font": "DejaVu Sans",
        "image_mini": "docs/_static/trace.png",
        "line_color": "#087286",
    }
    sitemap_excludes = ["404.html", "search.html"]
    sitemap_url_scheme = "{link}"
if REPOSITORY:
    html_theme_options["launch_buttons"] = {
        "binderhub_url": "https://mybinder.org",
        "colab_url": "https://colab.research.google.com",
        "notebook_interface": "jupyterlab",
    }
