"""Name the addresses of the course where they are known, so that its pages are found from outside.

`[project.urls]` in `pyproject.toml` is the only place that knows them: a fork changes it there.
"""

import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config

#: A picture and a sitemap name the address, and a page that is missing is looked for anywhere.
OF_A_KNOWN_ADDRESS = ("notfound.extension", "sphinx_sitemap", "sphinxext.opengraph")


def read_addresses(folder: Path) -> tuple[str, str]:
    """Return the address of the repository and that of the site, each empty where none is known."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    urls = project.get("urls", {})
    return urls.get("Repository", ""), urls.get("Documentation", "").rstrip("/")


def configure(app: Sphinx, config: Config) -> None:
    """Tell the theme of the repository, and the extensions of the site."""
    repository, site = read_addresses(Path(app.confdir))
    config.html_theme_options |= {
        "repository_url": repository,
        "use_repository_button": bool(repository),
    }
    if repository:
        config.html_theme_options["launch_buttons"] = {
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        }
    if site:
        config.html_baseurl = config.ogp_site_url = f"{site}/"
        config.notfound_template = "404.html"
        config.notfound_context = {"title": "There is no such page"}
        config.notfound_urls_prefix = f"{urlsplit(site).path}/"
        config.ogp_description_length = 0  # ours comes from `course_map`
        card = {"font": "DejaVu Sans", "image_mini": "docs/_static/trace.png"}
        config.ogp_social_cards = {**card, "line_color": "#087286"}
        config.sitemap_excludes = ["404.html", "search.html"]
        config.sitemap_url_scheme = "{link}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx, and those that only a known address needs."""
    if read_addresses(Path(app.confdir))[1]:
        for name in OF_A_KNOWN_ADDRESS:
            app.setup_extension(name)
    # Before all that looks at what is configured.
    app.connect("config-inited", configure, priority=1)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
