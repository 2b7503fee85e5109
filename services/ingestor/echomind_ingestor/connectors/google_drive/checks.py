"""Checks of a connector: each permission separately, with what to do if it is missing."""

from collections.abc import Sequence

from echomind_ingestor.connectors.google_drive.client import GoogleAccess
from echomind_ingestor.connectors.google_drive.scopes import Scopes
from echomind_ingestor.connectors.probes import probe
from echomind_ingestor.connectors.protocol import Check, SourceContext
from echomind_lib.connectors.types.google_drive import GROUPS_SCOPE, USERS_SCOPE, GoogleDriveSettings, drive_id

_NO_DIRECTORY = (
    "With a person's sign-in nobody's groups can be read: grants to groups let nobody read here. Use a service account "
    "with domain-wide delegation for them."
)


async def run_checks(access: GoogleAccess, context: SourceContext[GoogleDriveSettings]) -> list[Check]:
    """Returns the results of all checks.

    Raises:
        SourceError: Google does not respond.
    """
    drive, settings = access.drive, context.settings
    sign_in = await probe("Sign in and list files", drive.list_files("trashed = false", size=1))
    if sign_in.status == "failed":
        return [sign_in]
    checks = [sign_in, await probe("Read changes", drive.start_token())]
    scopes = Scopes(settings)
    if settings.all_shared_drives or settings.shared_drives:
        checks.append(await probe("Find shared drives", scopes.find_drives(drive)))
        if scopes.missing:
            names = ", ".join(scopes.missing)
            message = f"The account is no member of: {names}. Add it there as a viewer or more."
            checks[-1] = Check(name="Find shared drives", status="failed", message=message)
        elif not scopes.drives:
            message = "The account is a member of no shared drive."
            checks[-1] = Check(name="Find shared drives", status="warning", message=message)
    samples = [*scopes.drives, *(["root"] if settings.my_drive else [])]
    for folder in map(drive_id, settings.folders):
        check = await _check_folder(access, folder)
        checks.append(check)
        samples += [folder] if check.status == "passed" else []
    if context.syncs_permissions:
        checks += await _check_permissions(access, context, samples)
    return checks


async def _check_folder(access: GoogleAccess, folder: str) -> Check:
    name = f"Find the folder {folder}"
    found = None

    async def find() -> None:
        nonlocal found
        found = await access.drive.find_file(folder)

    check = await probe(name, find())
    if check.status == "passed" and (found is None or found.trashed or not found.is_folder):
        return Check(name=name, status="failed", message="The account sees no such folder. Share it with the account.")
    return check


async def _check_permissions(
    access: GoogleAccess, context: SourceContext[GoogleDriveSettings], samples: Sequence[str]
) -> list[Check]:
    advice = "The account needs the right to share it, as an editor or manager has it."
    checks = [
        await probe(f"Read who may read {sample}", access.drive.permissions(sample), advice) for sample in samples[:5]
    ]
    account = context.credentials.service_account
    if access.directory is None or account is None:
        return [*checks, Check(name="Read groups", status="warning", message=_NO_DIRECTORY)]
    directory, domain = access.directory, account.subject.rpartition("@")[2]

    async def users() -> None:
        async for _ in directory.users(domain=domain):
            return

    role = f"In the Google Admin console give {account.subject} an administrator's role that may read it"
    checks.append(
        await probe("Read groups", directory.find_group(account.subject), f"{role}: Groups. ({GROUPS_SCOPE})")
    )
    checks.append(await probe("Read users", users(), f"{role}: Users. ({USERS_SCOPE})"))
    return checks
