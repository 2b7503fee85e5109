"""Connectors and documents, kept as the API does."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from tests.drivers.api_server import Call, refusal


@dataclass
class Store:
    """Connectors and documents: what is uploaded is pending once and then completed, or failed when it says so."""

    connectors: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    uploads: int = 0
    polls: int = 0

    def add_connector(self, name: str, scope: str = "user", group: str = "") -> dict[str, Any]:
        connector = {
            "id": len(self.connectors) + 1,
            "name": name,
            "type": "CONNECTOR_TYPE_FILE",
            "scope": f"SCOPE_{scope.upper()}",
            "scopeId": group,
            "userId": 1,
        }
        self.connectors.append(connector)
        return connector

    def list_connectors(self, call: Call) -> dict[str, Any]:
        name = call.query.get("name")
        return {"connectors": [connector for connector in self.connectors if name in {None, connector["name"]}]}

    def upload(self, call: Call) -> Any:
        form = {name: values[0] for name, values in call.body.items()}
        connector_id = int(form.get("connector_id", 0))
        if not connector_id:
            name = form.get("connector", "My files")
            found = [connector for connector in self.connectors if connector["name"] == name]
            connector_id = (found or [self.add_connector(name, form.get("scope", "user"), form.get("group", ""))])[0][
                "id"
            ]
        source_ids = call.body["source_id"]
        titles = call.body.get("title", [""] * len(source_ids))
        stored = []
        for source_id, title, content in zip(source_ids, titles, call.body["file"], strict=True):
            if content == b"too large":
                return refusal("FILE_REJECTED", "The file is too large.", 400, "INVALID_ARGUMENT")(call)
            stored.append(self._store(connector_id, source_id, title, content))
        return {"documents": stored}

    def _store(self, connector_id: int, source_id: str, title: str, content: bytes) -> dict[str, Any]:
        signature = hashlib.sha256(content).hexdigest()
        stored = self.documents.get((connector_id, source_id))
        if stored is not None and stored["signature"] == signature:
            return stored
        self.uploads += 1
        self.documents[connector_id, source_id] = document = {
            "id": str(self.uploads),
            "connectorId": connector_id,
            "sourceId": source_id,
            "title": title or source_id.rsplit("/", 1)[-1],
            "signature": signature,
            "status": "DOCUMENT_STATUS_PENDING",
        }
        return document

    def reconcile(self, call: Call) -> dict[str, Any]:
        connector_id = int(call.fields["id"])
        given = {file["sourceId"]: file["signature"] for file in call.body["files"]}
        mine = {source: document for (owner, source), document in self.documents.items() if owner == connector_id}
        upload = [source for source, sum_ in given.items() if mine.get(source, {}).get("signature") != sum_]
        gone = [source for source in mine if source.startswith(call.body["prefix"]) and source not in given]
        if call.body["removeMissing"]:
            for source in gone:
                del self.documents[connector_id, source]
        removed = len(gone) if call.body["removeMissing"] else 0
        return {"upload": upload, "unchanged": len(given) - len(upload), "removed": removed}

    def list_documents(self, call: Call) -> dict[str, Any]:
        """Lists them; those that are asked for by their ids are processed first."""
        if ids := call.query.get("ids"):
            self.polls += 1
            asked = set(ids.split(","))
            return {"documents": [self._processed(one) for one in self.documents.values() if one["id"] in asked]}
        found = [
            document
            for document in self.documents.values()
            if str(document["connectorId"]) == call.query["connectorId"]
            and call.query.get("status") in {None, document["status"]}
        ]
        return {"documents": found}

    def _processed(self, document: dict[str, Any]) -> dict[str, Any]:
        failed = "broken" in document["sourceId"]
        document["status"] = f"DOCUMENT_STATUS_{'FAILED' if failed else 'COMPLETED'}"
        document.update({"statusMessage": "Damaged."} if failed else {"chunkCount": 3})
        return document


def names(store: Store) -> set[str]:
    return {source for _, source in store.documents}
