/** Labels of notebook roles. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { NotebookRoleJson } from "@/gen/echomind/public/v1/notebook_pb";
import { type ByMember, ofMember } from "@/ui/members";

/** The roles that a member can be given, the most powerful first. */
export const ROLES = ["NOTEBOOK_ROLE_OWNER", "NOTEBOOK_ROLE_EDITOR", "NOTEBOOK_ROLE_VIEWER"] as const satisfies readonly NotebookRoleJson[];

/** The roles that a group can be given. */
export const GROUP_ROLES = ["NOTEBOOK_ROLE_EDITOR", "NOTEBOOK_ROLE_VIEWER"] as const satisfies readonly NotebookRoleJson[];

const LABELS: ByMember<NotebookRoleJson, MessageDescriptor> = {
  NOTEBOOK_ROLE_OWNER: msg`Owner`,
  NOTEBOOK_ROLE_EDITOR: msg`Editor`,
  NOTEBOOK_ROLE_VIEWER: msg`Viewer`,
};

/** The name of a role. */
export function roleLabel(role: NotebookRoleJson): MessageDescriptor {
  return ofMember(LABELS, role) ?? msg`No member`;
}
