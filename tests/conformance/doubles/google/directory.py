"""The directory of a `Tenant`: people and groups, as the Admin SDK shows them."""

from collections.abc import Callable

from tests.conformance.doubles.google.description import Json
from tests.conformance.doubles.google.errors import RefusedError
from tests.conformance.doubles.google.tenant import DOMAIN, Tenant, directory_id


class Directory:
    """Answers requests for people and groups."""

    def __init__(self, tenant: Tenant, page: Callable[..., Json]) -> None:
        self._tenant = tenant
        self._page = page

    def _find_group(self, key: str) -> str:
        for email, group_id in self._tenant.group_ids.items():
            if key in (email, group_id) and email in self._tenant.groups:
                return email
        if "@" in key and not key.endswith(f"@{DOMAIN}"):
            raise RefusedError(403, "forbidden", "Not Authorized to access this resource/api")
        raise RefusedError(404, "notFound", f"Resource Not Found: groupKey {key}")

    def get_group(self, person: str, given: dict[str, str]) -> Json:
        email = self._find_group(given["groupKey"])
        return {"id": self._tenant.group_ids[email], "email": email, "name": email.partition("@")[0].title()}

    def list_members(self, person: str, given: dict[str, str]) -> Json:
        tenant, email = self._tenant, self._find_group(given["groupKey"])
        is_derived = given.get("includeDerivedMembership") == "true"
        people = tenant.members_of(email) if is_derived else tenant.groups[email] & set(tenant.people)
        found = [
            {
                "id": directory_id(member),
                "email": member,
                "type": "USER",
                "status": "SUSPENDED" if member in tenant.suspended else "ACTIVE",
            }
            for member in sorted(people)
        ]
        found += [
            {"id": tenant.group_ids[group], "email": group, "type": "GROUP", "status": "ACTIVE"}
            for group in sorted(tenant.groups[email] & set(tenant.groups))
        ]
        return self._page("members", found, given, "maxResults", 200)

    def list_users(self, person: str, given: dict[str, str]) -> Json:
        if not (given.get("domain") or given.get("customer")):
            raise RefusedError(400, "invalid", "Bad Request")
        found = [
            {
                "id": directory_id(email),
                "primaryEmail": email,
                "name": {"fullName": name},
                "suspended": email in self._tenant.suspended,
            }
            for email, name in self._tenant.people.items()
        ]
        return self._page("users", found, given, "maxResults", 100)
