"""How Sphinx builds the site: python docs/generate_site.py."""

project = "cvinfer"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["files/**"]
# Headings are found by the names that other pages of the repository link to.
myst_heading_anchors = 4
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {
    "description": "Is one classifier really better, or was it the luck of the split?",
    "page_width": "1180px",
    "sidebar_width": "250px",
    "fixed_sidebar": False,
    "show_powered_by": False,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["style"]
html_css_files = ["own.css"]
html_show_copyright = False
html_copy_source = False
html_title = "cvinfer"
