#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sbom.py VERSION COMPONENTS.json OUTPUT: writes the SBOM of manactl as an SPDX 2.3 document in JSON.

If SOURCE_DATE_EPOCH is set, it is the time of creation, and equal inputs give equal documents.
"""
import datetime
import hashlib
import json
import os
import pathlib
import sys
import time

version, components, output = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text()), pathlib.Path(sys.argv[3])
created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), datetime.timezone.utc)


def package(name, version, license, url):
    return {
        "SPDXID": f"SPDXRef-Package-{name}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        **({"homepage": url} if url else {}),
        "filesAnalyzed": False,
        "licenseConcluded": license,
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
    }


packages = [package("manactl", version, "MIT", ""), *(package(**component) for component in components)]
# The same name for the same contents: SPDX demands a unique URI, which need not exist.
digest = hashlib.sha256(json.dumps([packages, created.isoformat()]).encode()).hexdigest()[:32]
document = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"manactl-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/manactl-{version}-{digest}",
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: manactl-sbom.py"]},
    "packages": packages,
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
         "relatedSpdxElement": "SPDXRef-Package-manactl"},
        *({"spdxElementId": "SPDXRef-Package-manactl", "relationshipType": "STATIC_LINK",
           "relatedSpdxElement": entry["SPDXID"]} for entry in packages[1:]),
    ],
}
output.write_text(json.dumps(document, indent=2) + "\n")
