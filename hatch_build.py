"""How the package is built: the pages that hints name are in it, and the README's links lead somewhere on any page.

Links in README.md are relative, so that they work in a clone, an archive and on whatever host shows the repository. An
index of packages shows the README by itself: for it, links are made absolute with the address in `[project.urls]`.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


class Readme(MetadataHookInterface):
    """The README as the metadata hold it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Make every relative link absolute."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        base = f"{metadata['urls']['Source']}/blob/main/"
        text = _LINK.sub(lambda found: f"]({base}{found[1]})", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class Docs(BuildHookInterface[Any]):
    """The pages of `sfumato docs`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put them into the package; an editable one finds them in the repository."""
        if version == "editable":
            return
        root = Path(self.root)
        for page in sorted([*(root / "docs").rglob("*.md"), root / "SECURITY.md"]):
            inside = page.relative_to(root / "docs") if page.is_relative_to(root / "docs") else page.name
            build_data["force_include"][str(page)] = f"sfumato/docs/{inside}"
