"""Pictures of what a probe saw: each has an HTML form and a text twin with the same facts."""
