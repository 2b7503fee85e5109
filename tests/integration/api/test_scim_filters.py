"""Filters of SCIM clients that look into lists of an attribute."""

from tests.drivers.scim import ScimCaller
from tests.factories.world import name


async def test_filters_find_people_by_their_addresses(scim: ScimCaller) -> None:
    own, other = [f"{name()}@example.org" for _ in range(2)]
    made = await scim.user(
        f"{name()}-a", emails=[{"value": f"home-{own}", "type": "home"}, {"value": own, "type": "work"}]
    )
    await scim.user(
        f"{name()}-b", emails=[{"value": other, "type": "work"}, {"value": f"home-{other}", "type": "home"}]
    )
    bare = await scim.user(f"{name()}-c")
    for text in (
        f'emails[type eq "work" and value eq "{own}"]',
        f'emails[type eq "work"].value eq "{own}"',
        f'emails[type eq "work" and value sw "x" or value eq "{own.upper()}"]',
        f'emails.value eq "{own}"',
        f'emails eq "{own}"',
        f'emails[value eq "{own}"]',
    ):
        found = await scim.send("GET", f"/Users?filter={text}")
        assert found.status == 200, (text, found)
        assert [each["id"] for each in found.body["Resources"]] == [made["id"]], text
    # Both of one address, not one of each of two.
    mixed = await scim.send("GET", f'/Users?filter=emails[type eq "home" and value eq "{own}"]')
    assert mixed.body["totalResults"] == 0
    for text in ("emails pr", 'emails.type eq "work"', "emails[type pr]"):
        found = await scim.send("GET", f'/Users?filter={text} and userName ew "-a"')
        assert made["id"] in [each["id"] for each in found.body["Resources"]], text
        found = await scim.send("GET", f'/Users?filter={text} and userName ew "-c"')
        assert bare["id"] not in [each["id"] for each in found.body["Resources"]], text
