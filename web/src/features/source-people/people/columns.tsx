import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SourceAliasJson, SourceGroupJson, SourcePersonJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Badge } from "@/ui/Badge";
import { formatNumber, formatRelative, formatTimestamp } from "@/ui/format";
import type { Column } from "@/ui/table/columns";
import { Account } from "./Account";
import { AliasEffect } from "./AliasEffect";
import { PersonActions, RemoveAlias } from "./PersonActions";
import { PersonName } from "./PersonName";

/** Returns a text in the language of the pages. */
type Translate = (text: MessageDescriptor) => string;

/** Columns of the table of a source's people. */
export function peopleColumns(t: Translate): Column<SourcePersonJson>[] {
  return [
    { id: "name", header: t(msg`In the connected system`), cell: ({ name = "", email = "", key = "" }) => <PersonName name={name} email={email} principal={key} /> },
    { id: "account", header: t(msg`Account`), isWideOnly: true, cell: ({ mapping, userName }) => <Account mapping={mapping} userName={userName} /> },
    { id: "actions", header: t(msg`Actions`), width: "11.5rem", align: "end", isHeaderHidden: true, cell: (person) => <PersonActions person={person} /> },
  ];
}

/** Columns of the table of all aliases. */
export function aliasColumns(t: Translate): Column<SourceAliasJson>[] {
  return [
    { id: "name", header: t(msg`In the connected system`), cell: ({ name = "", email = "", key = "" }) => <PersonName name={name} email={email} principal={key} /> },
    { id: "account", header: t(msg`Account`), isWideOnly: true, cell: (alias) => <AliasEffect alias={alias} /> },
    { id: "sources", header: t(msg`Connectors`), width: "7rem", align: "end", isWideOnly: true, cell: ({ connectors = 0 }) => formatNumber(connectors) },
    { id: "actions", header: t(msg`Actions`), width: "11.5rem", align: "end", isHeaderHidden: true, cell: (alias) => <RemoveAlias alias={alias} /> },
  ];
}

/** Columns of the table of a source's groups. */
export function groupColumns(t: Translate): Column<SourceGroupJson>[] {
  return [
    {
      id: "name",
      header: t(msg`In the connected system`),
      cell: ({ name = "", email = "", key = "", kind, isOutdated = false }) => (
        <PersonName name={name} email={email} principal={key}>
          {kind === "SOURCE_PRINCIPAL_KIND_TENANT" && <Badge tone="neutral">{t(msg`Whole organization`)}</Badge>}{" "}
          {isOutdated && <Badge tone="warn">{t(msg`Members outdated`)}</Badge>}
        </PersonName>
      ),
    },
    { id: "members", header: t(msg`Members`), width: "7rem", align: "end", isWideOnly: true, cell: ({ members = 0 }) => formatNumber(members) },
    { id: "accounts", header: t(msg`Accounts`), width: "7rem", align: "end", isWideOnly: true, cell: ({ accounts = 0 }) => formatNumber(accounts) },
    {
      id: "read",
      header: t(msg`Members read`),
      width: "10rem",
      isWideOnly: true,
      cell: ({ membersReadAt }) => <span title={formatTimestamp(membersReadAt)}>{membersReadAt ? formatRelative(membersReadAt) : t(msg`Never`)}</span>,
    },
  ];
}
