import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { connectorsQuery, useReaders } from "@/data/connectors";
import { sourceAliasesQuery, sourceGroupsQuery, sourcePeopleQuery } from "@/data/source-people";
import type { SourcePersonMappingJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { SelectField, TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { flag, oneOf, text, useSearchState } from "@/ui/search-state";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { Tabs } from "@/ui/Tabs";
import { aliasColumns, groupColumns, peopleColumns } from "./people/columns";
import { Account } from "./people/Account";
import { AliasEffect } from "./people/AliasEffect";
import { MAPPINGS } from "./people/labels";
import styles from "./people/source-people.module.css";

const MAPPED = ["", "unmapped", "email", "alias", "no_account", "unverified", "ambiguous", "account_deleted"] as const;
const STATE = { tab: oneOf(["people", "groups", "aliases"], "people"), q: text(), mapped: oneOf(MAPPED, ""), unused: flag() };

/** The people and groups of a source, and which accounts they are; for superadmins. */
export function SourcePeoplePage({ id }: { id: string }) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const [state, setState] = useSearchState(STATE);
  const { data: connectors } = useQuery(connectorsQuery);
  const connector = connectors?.find((one) => String(one.id) === id);
  const parents = [
    { href: "/sources", label: t`Connectors` },
    { href: `/sources/${id}`, label: connector?.name ?? t`Connector` },
  ];
  return (
    <Page
      title={t`People and groups`}
      parents={parents}
      description={t`The people and groups that can read documents in the connected system, and their accounts here.`}
    >
      {connector && connector.permissionMode !== "PERMISSION_MODE_SOURCE" && (
        <Notice tone="info">{t`This connector does not restrict its documents individually: everyone who can see it can read them (${readersOf(connector)}).`}</Notice>
      )}
      <Tabs
        label={t`People and groups`}
        tabs={[
          { value: "people", label: t`People` },
          { value: "groups", label: t`Groups` },
          { value: "aliases", label: t`Aliases` },
        ]}
        value={state.tab}
        onChange={(tab) => setState({ tab, q: "", mapped: "", unused: false }, "push")}
      >
        {state.tab === "aliases" && (
          <p className={styles.hint}>
            <Trans>An alias assigns an account to a person, regardless of their e-mail address. It applies to every connector that knows the person.</Trans>
          </p>
        )}
        <search className={styles.filters}>
          <TextField label={t`Search`} type="search" placeholder={t`Name or e-mail address`} value={state.q} onChange={(event) => setState({ q: event.target.value })} />
          {state.tab === "people" && (
            <SelectField
              label={t`Account`}
              value={state.mapped}
              options={[
                { value: "", label: t`All` },
                { value: "unmapped", label: t`Not an account` },
                ...Object.entries(MAPPINGS).map(([mapping, { label }]) => ({ value: word(mapping), label: t(label) })),
              ]}
              onChange={(mapped) => setState({ mapped: mapped as typeof state.mapped })}
            />
          )}
          {state.tab === "aliases" && (
            <SelectField
              label={t`Effect`}
              value={state.unused ? "none" : ""}
              options={[
                { value: "", label: t`All` },
                { value: "none", label: t`Without effect` },
              ]}
              onChange={(effect) => setState({ unused: effect === "none" })}
            />
          )}
        </search>
        {state.tab === "people" && <People connectorId={Number(id)} query={state.q} mapped={state.mapped} />}
        {state.tab === "groups" && <Groups connectorId={Number(id)} query={state.q} />}
        {state.tab === "aliases" && <Aliases query={state.q} isUnusedOnly={state.unused} />}
      </Tabs>
    </Page>
  );
}

function People({ connectorId, query, mapped }: { connectorId: number; query: string; mapped: (typeof MAPPED)[number] }) {
  const { t } = useLingui();
  const mapping = Object.keys(MAPPINGS).find((one) => word(one) === mapped) as SourcePersonMappingJson | undefined;
  const filter = { connectorId, query: useDeferredValue(query), unmappedOnly: mapped === "unmapped", ...(mapping && { mapping }) };
  const found = useInfiniteQuery(sourcePeopleQuery(filter));
  return (
    <DataTable
      label={t`People`}
      columns={peopleColumns(t)}
      rows={found.data?.pages.flatMap((page) => page.people ?? [])}
      idOf={({ key = "" }) => key}
      nameOf={({ name, email, key = "" }) => name || email || key}
      summary={({ mapping: how, userName }) => <Account mapping={how} userName={userName} />}
      {...pagesOf(found)}
      whenEmpty={
        query || mapped ? <Trans>Nobody matches. Clear the search or the filter.</Trans> : <Trans>Nobody yet. People come with the syncs of the connector.</Trans>
      }
    />
  );
}

function Groups({ connectorId, query }: { connectorId: number; query: string }) {
  const { t } = useLingui();
  const found = useInfiniteQuery(sourceGroupsQuery({ connectorId, query: useDeferredValue(query) }));
  return (
    <DataTable
      label={t`Groups`}
      columns={groupColumns(t)}
      rows={found.data?.pages.flatMap((page) => page.groups ?? [])}
      idOf={({ key = "" }) => key}
      nameOf={({ name, email, key = "" }) => name || email || key}
      summary={({ members = 0, accounts = 0 }) => t`Members: ${members} · Accounts: ${accounts}`}
      {...pagesOf(found)}
      whenEmpty={query ? <Trans>No group matches. Clear the search.</Trans> : <Trans>No groups yet. They come with the syncs of the connector.</Trans>}
    />
  );
}

function Aliases({ query, isUnusedOnly }: { query: string; isUnusedOnly: boolean }) {
  const { t } = useLingui();
  const found = useInfiniteQuery(sourceAliasesQuery({ query: useDeferredValue(query), unusedOnly: isUnusedOnly }));
  return (
    <DataTable
      label={t`Aliases`}
      columns={aliasColumns(t)}
      rows={found.data?.pages.flatMap((page) => page.aliases ?? [])}
      idOf={({ key = "" }) => key}
      nameOf={({ name, email, key = "" }) => name || email || key}
      summary={(alias) => <AliasEffect alias={alias} />}
      {...pagesOf(found)}
      whenEmpty={
        query || isUnusedOnly ? (
          <Trans>No alias matches. Clear the search or the filter.</Trans>
        ) : (
          <Trans>No aliases yet. Choose an account for a person under People.</Trans>
        )
      }
    />
  );
}

/** The short word of a mapping. */
function word(mapping: string): string {
  return mapping.replace("SOURCE_PERSON_MAPPING_", "").toLowerCase();
}
