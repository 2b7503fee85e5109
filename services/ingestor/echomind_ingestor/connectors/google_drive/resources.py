"""Responses of the Drive and Directory APIs, as far as used: https://developers.google.com/drive/api/reference."""

from typing import Final

import msgspec

FOLDER: Final = "application/vnd.google-apps.folder"
SHORTCUT: Final = "application/vnd.google-apps.shortcut"


class Resource(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object of Google's JSON."""


class PermissionDetails(Resource, frozen=True):
    """Where a permission is inherited from."""

    inherited: bool = False


class Permission(Resource, frozen=True):
    """A permission on a file."""

    id: str
    type: str
    email_address: str = ""
    display_name: str = ""
    domain: str = ""
    view: str = ""
    allow_file_discovery: bool = False
    expiration_time: str = ""
    deleted: bool = False
    permission_details: tuple[PermissionDetails, ...] = ()

    @property
    def is_direct(self) -> bool:
        """Returns whether it is granted on the item itself; assumed without details."""
        return not self.permission_details or any(not detail.inherited for detail in self.permission_details)


class ShortcutDetails(Resource, frozen=True):
    """The target of a shortcut."""

    target_id: str = ""
    target_mime_type: str = ""
    target_resource_key: str = ""


class Capabilities(Resource, frozen=True):
    """What the account may do with a file."""

    can_download: bool = True


class File(Resource, frozen=True):
    """A file, folder or shortcut."""

    id: str
    name: str = ""
    mime_type: str = ""
    parents: tuple[str, ...] = ()
    drive_id: str = ""
    owned_by_me: bool = False
    trashed: bool = False
    web_view_link: str = ""
    size: str = ""
    modified_time: str = ""
    version: str = ""
    md5_checksum: str = ""
    sha256_checksum: str = ""
    head_revision_id: str = ""
    shortcut_details: ShortcutDetails | None = None
    capabilities: Capabilities = Capabilities()
    has_augmented_permissions: bool = False
    inherited_permissions_disabled: bool = False
    permissions: tuple[Permission, ...] = ()

    @property
    def parent(self) -> str:
        """Returns the id of its folder; empty if the account sees none."""
        return self.parents[0] if self.parents else ""

    @property
    def is_folder(self) -> bool:
        """Returns whether it is a folder."""
        return self.mime_type == FOLDER


class FilePage(Resource, frozen=True):
    """A page of files."""

    files: tuple[File, ...] = ()
    next_page_token: str = ""
    incomplete_search: bool = False


class PermissionPage(Resource, frozen=True):
    """A page of permissions."""

    permissions: tuple[Permission, ...] = ()
    next_page_token: str = ""


class Drive(Resource, frozen=True):
    """A shared drive."""

    id: str
    name: str = ""


class DrivePage(Resource, frozen=True):
    """A page of shared drives."""

    drives: tuple[Drive, ...] = ()
    next_page_token: str = ""


class Change(Resource, frozen=True):
    """The current state of a changed file."""

    change_type: str = "file"
    file_id: str = ""
    removed: bool = False
    file: File | None = None


class ChangePage(Resource, frozen=True):
    """A page of a change log."""

    changes: tuple[Change, ...] = ()
    next_page_token: str = ""
    new_start_page_token: str = ""


class StartToken(Resource, frozen=True):
    """The end of a change log."""

    start_page_token: str


class Group(Resource, frozen=True):
    """A group of the directory."""

    id: str
    email: str = ""
    name: str = ""


class Member(Resource, frozen=True):
    """A member of a group: `USER`, `GROUP`, `CUSTOMER` for everyone in the organization, or `EXTERNAL`."""

    id: str = ""
    email: str = ""
    type: str = ""
    status: str = ""


class MemberPage(Resource, frozen=True):
    """A page of members."""

    members: tuple[Member, ...] = ()
    next_page_token: str = ""


class UserName(Resource, frozen=True):
    """The name of a person."""

    full_name: str = ""


class User(Resource, frozen=True):
    """A person of the directory."""

    id: str
    primary_email: str = ""
    name: UserName = UserName()
    suspended: bool = False
    archived: bool = False
    is_guest_user: bool = False


class UserPage(Resource, frozen=True):
    """A page of people."""

    users: tuple[User, ...] = ()
    next_page_token: str = ""
