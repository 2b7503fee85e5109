import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { groupsQuery } from "@/data/groups";
import { displayName, hasRole, useCurrentUser, foundUsersQuery } from "@/data/users";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { Page } from "@/ui/Page";
import { flag, oneOf, text, useSearchState } from "@/ui/search-state";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { userColumns, userSummary } from "./people/columns";
import { InviteDialog } from "./people/InviteDialog";
import { ROLES } from "./roles";
import { UserMenu } from "./people/UserMenu";
import styles from "./people/people.module.css";

const STATE = {
  q: text(),
  role: oneOf(["", "ROLE_ADMIN", "ROLE_SUPERADMIN"], ""),
  group: text(),
  state: oneOf(["", "USER_STATE_ACTIVE", "USER_STATE_DEACTIVATED"], ""),
  sort: oneOf(["USER_ORDER_USER_NAME", "USER_ORDER_LAST_LOGIN"], "USER_ORDER_USER_NAME"),
  down: flag(),
};

/** The accounts: found, filtered and sorted on the server; superadmins invite and change. */
export function PeoplePage() {
  const { t } = useLingui();
  const me = useCurrentUser();
  const isManaged = hasRole(me, "ROLE_SUPERADMIN");
  const [state, setState] = useSearchState(STATE);
  const query = useDeferredValue(state.q);
  const [isInviting, setInviting] = useState(false);
  const { data: groups = [] } = useQuery(groupsQuery);
  const found = useInfiniteQuery(
    foundUsersQuery({
      query,
      group: state.group,
      order: state.sort,
      descending: state.down,
      ...(state.role && { role: state.role }),
      ...(state.state && { state: state.state }),
    }),
  );
  const users = found.data?.pages.flatMap((page) => page.users ?? []);
  const total = found.data?.pages[0]?.totalSize ?? 0;
  const columns = userColumns(t, me.id);
  if (isManaged) {
    columns.push({ id: "actions", header: t`Actions`, width: "3.5rem", isHeaderHidden: true, cell: (user) => <UserMenu user={user} /> });
  }
  return (
    <Page
      title={t`People`}
      section={t`Administration`}
      description={t`Everyone who has an account.`}
      actions={
        isManaged && (
          <Button variant="primary" onClick={() => setInviting(true)}>
            <UserPlus size={16} /> <Trans>Invite</Trans>
          </Button>
        )
      }
    >
      <search className={styles.filters}>
        <TextField label={t`Search`} type="search" placeholder={t`Name or e-mail address`} value={state.q} onChange={(event) => setState({ q: event.target.value })} />
        <SelectField
          label={t`Role`}
          value={state.role}
          options={[{ value: "", label: t`All` }, ...ROLES.slice(1).map(({ value, label }) => ({ value, label: t(label) }))]}
          onChange={(role) => setState({ role: role as typeof state.role })}
        />
        <SelectField
          label={t`Group`}
          value={state.group}
          options={[{ value: "", label: t`All` }, ...groups.map(({ name = "" }) => ({ value: name, label: name }))]}
          onChange={(group) => setState({ group })}
        />
        <SelectField
          label={t`State`}
          value={state.state}
          options={[
            { value: "", label: t`All` },
            { value: "USER_STATE_ACTIVE", label: t`Active` },
            { value: "USER_STATE_DEACTIVATED", label: t`Deactivated` },
          ]}
          onChange={(value) => setState({ state: value as typeof state.state })}
        />
      </search>
      <p role="status" className={styles.email}>
        {users && <Plural value={total} one="# person" other="# people" />}
      </p>
      <DataTable
        label={t`People`}
        columns={columns}
        rows={users}
        idOf={(user) => String(user.id)}
        nameOf={displayName}
        total={total}
        summary={(user) => userSummary(t, user)}
        sort={{ column: state.sort, direction: state.down ? "desc" : "asc" }}
        onSort={({ column, direction }) => setState({ sort: column as typeof state.sort, down: direction === "desc" })}
        {...pagesOf(found)}
        whenEmpty={<Trans>Nobody matches. Clear the search or a filter.</Trans>}
      />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}
