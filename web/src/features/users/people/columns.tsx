import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { BadgeCheck } from "lucide-react";
import { displayName, initials } from "@/data/users";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { Badge } from "@/ui/Badge";
import { formatRelative, formatTimestamp } from "@/ui/format";
import type { Column } from "@/ui/table/columns";
import { highestRole, roleLabel } from "../roles";
import styles from "./people.module.css";

/** Returns a text in the language of the pages. */
type Translate = (text: MessageDescriptor) => string;

const NEVER = msg`Never`;

/** Columns of the table of people; the first one is a person with name and address. */
export function userColumns(t: Translate, ownId: number | undefined): Column<UserJson>[] {
  return [
    {
      id: "USER_ORDER_USER_NAME",
      header: t(msg`Name`),
      isSortable: true,
      cell: (user) => (
        <span className={styles.person}>
          <span className={styles.avatar} aria-hidden>
            {initials(user)}
          </span>
          <span className={styles.names}>
            <span className={styles.name}>
              {displayName(user)}
              {user.id === ownId && <Badge tone="neutral">{t(msg`You`)}</Badge>}
              {!user.isActive && <Badge tone="warn">{t(msg`Deactivated`)}</Badge>}
            </span>
            <span className={styles.email}>
              {user.email}
              {user.isEmailVerified && (
                <span className={styles.verified} title={t(msg`The address is verified: connectors know this person by it.`)}>
                  <BadgeCheck size={13} aria-hidden />
                  <span className="visually-hidden">{t(msg`verified`)}</span>
                </span>
              )}
            </span>
          </span>
        </span>
      ),
    },
    {
      id: "role",
      header: t(msg`Role`),
      width: "8rem",
      isWideOnly: true,
      cell: (user) => <Badge tone={highestRole(user) === "ROLE_USER" ? "neutral" : "accent"}>{t(roleLabel(user))}</Badge>,
    },
    { id: "groups", header: t(msg`Groups`), isWideOnly: true, cell: ({ groups = [] }) => groups.join(", ") },
    {
      id: "USER_ORDER_LAST_LOGIN",
      header: t(msg`Last sign-in`),
      width: "10rem",
      isSortable: true,
      isWideOnly: true,
      cell: ({ lastLogin }) => <span title={formatTimestamp(lastLogin)}>{lastLogin ? formatRelative(lastLogin) : t(NEVER)}</span>,
    },
  ];
}

/** One line with the values of the columns that are hidden on narrow screens. */
export function userSummary(t: Translate, user: UserJson): string {
  return [t(roleLabel(user)), ...(user.groups ?? []), user.lastLogin ? formatRelative(user.lastLogin) : t(NEVER)].join(" · ");
}
