import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { GroupMemberJson } from "@/gen/echomind/public/v1/group_pb";
import { Badge } from "@/ui/Badge";
import type { Column } from "@/ui/table/columns";
import styles from "./groups.module.css";

/** Returns a text in the language of the pages. */
type Translate = (text: MessageDescriptor) => string;

/** The name that is shown of a member. */
export function memberName({ name, userName = "" }: GroupMemberJson): string {
  return name || userName;
}

/** What gives a membership: people by hand, a provider or a SCIM client. */
function sourceLabel(t: Translate, source: string): string {
  if (source === "manual") return t(msg`by hand`);
  return source.replace(/^provider:(https:\/\/)?/, "").replace(/^scim:/, "SCIM ");
}

/** Where the memberships come from, in one line. */
export function sourceLabels(t: Translate, { sources = [] }: GroupMemberJson): string {
  return sources.map((source) => sourceLabel(t, source)).join(", ");
}

/** Columns of the table of members. */
export function memberColumns(t: Translate, ownId: number | undefined): Column<GroupMemberJson>[] {
  return [
    {
      id: "name",
      header: t(msg`Name`),
      cell: (member) => (
        <span className={styles.member}>
          <span className={styles.name}>
            {memberName(member)}
            {member.userId === ownId && <Badge tone="neutral">{t(msg`You`)}</Badge>}
            {member.isAdmin && <Badge tone="accent">{t(msg`Group admin`)}</Badge>}
            {member.kind === "ACCOUNT_KIND_SERVICE" && <Badge tone="neutral">{t(msg`Service account`)}</Badge>}
            {!member.isActive && <Badge tone="warn">{t(msg`Deactivated`)}</Badge>}
          </span>
          {member.name && <span className={styles.userName}>{member.userName}</span>}
        </span>
      ),
    },
    { id: "sources", header: t(msg`Added`), width: "16rem", isWideOnly: true, cell: (member) => sourceLabels(t, member) },
  ];
}
