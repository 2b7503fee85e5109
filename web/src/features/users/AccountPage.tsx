import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Download, KeyRound } from "lucide-react";
import { useState, type SyntheticEvent } from "react";
import { Link } from "wouter";
import { exportUrl } from "@/api/routes";
import { groupName, groupsQuery } from "@/data/groups";
import { displayName, hasRole, initials, useCurrentUser, useUpdateCurrentUser } from "@/data/users";
import { OwnQuotas } from "@/features/quotas/OwnQuotas";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { ConnectedAccounts } from "./ConnectedAccounts";
import { PasswordDialog } from "./PasswordDialog";
import { ProviderConnections } from "./ProviderConnections";
import { roleLabel } from "./roles";
import styles from "./AccountPage.module.css";

/** The reader's own account: name and password. */
export function AccountPage() {
  const { t } = useLingui();
  const me = useCurrentUser();
  const { id = 0, userName, email, groups = [] } = me;
  const [changesPassword, setChangesPassword] = useState(false);
  return (
    <Page title={t`Account`} section={t`Settings`}>
      <section className={styles.section} aria-labelledby="profile">
        <h2 id="profile">
          <Trans>Profile</Trans>
        </h2>
        <div className={styles.identity}>
          <span className={styles.avatar} aria-hidden>
            {initials(me)}
          </span>
          <p>
            <strong>{displayName(me)}</strong>
            <span>{[userName, email].filter(Boolean).join(" · ")}</span>
          </p>
        </div>
        <ProfileForm />
        <dl className={styles.facts}>
          <dt>
            <Trans>Role</Trans>
          </dt>
          <dd>{t(roleLabel(me))}</dd>
          <dt>
            <Trans>Groups</Trans>
          </dt>
          <dd>{groups.join(", ") || t`None`}</dd>
        </dl>
        <p className={styles.text}>
          <Trans>User name, e-mail address, role and groups are changed by a superadmin.</Trans>
        </p>
        {!hasRole(me, "ROLE_ADMIN") && <AdministeredGroups />}
      </section>
      <OwnQuotas title={t`Quotas`} />
      <ProviderConnections />
      <ConnectedAccounts />
      <section className={styles.section} aria-labelledby="password">
        <h2 id="password">
          <Trans>Password</Trans>
        </h2>
        <p className={styles.text}>
          <Trans>With a password you can sign in without a link.</Trans>
        </p>
        <Button onClick={() => setChangesPassword(true)}>
          <KeyRound size={15} /> <Trans>Change password</Trans>
        </Button>
      </section>
      <section className={styles.section} aria-labelledby="data">
        <h2 id="data">
          <Trans>Your data</Trans>
        </h2>
        <p className={styles.text}>
          <Trans>A ZIP archive with your account, conversations, memories, notebooks and private documents. What it leaves out is listed in it.</Trans>
        </p>
        <a className={styles.download} href={exportUrl(id)} download>
          <Download size={15} aria-hidden /> <Trans>Export your data</Trans>
        </a>
      </section>
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </Page>
  );
}

/** The groups whose members the reader adds and removes; nothing without any. */
function AdministeredGroups() {
  const { data: groups = [] } = useQuery(groupsQuery);
  if (groups.length === 0) return null;
  return (
    <div className={styles.text}>
      <Trans>You are an admin of these groups, and add and remove their members:</Trans>
      <ul>
        {groups.map((group) => (
          <li key={group.id}>
            <Link href={`/settings/groups/${group.id}`}>{groupName(group)}</Link>
          </li>
        ))}
      </ul>
      <p>
        <Trans>
          Programs of these groups have <Link href="/settings/service-accounts">service accounts</Link>.
        </Trans>
      </p>
    </div>
  );
}

function ProfileForm() {
  const { t } = useLingui();
  const { firstName = "", lastName = "" } = useCurrentUser();
  const [values, setValues] = useState({ firstName, lastName });
  const update = useUpdateCurrentUser();
  const isChanged = values.firstName.trim() !== firstName || values.lastName.trim() !== lastName;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isChanged && !update.isPending) update.mutate({ firstName: values.firstName.trim(), lastName: values.lastName.trim() });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={t`First name`}
        autoComplete="given-name"
        maxLength={255}
        value={values.firstName}
        onChange={(event) => setValues({ ...values, firstName: event.target.value })}
      />
      <TextField
        label={t`Last name`}
        autoComplete="family-name"
        maxLength={255}
        value={values.lastName}
        onChange={(event) => setValues({ ...values, lastName: event.target.value })}
      />
      {update.error && <Notice tone="danger">{update.error.message}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={!isChanged || update.isPending}>
          {update.isPending && <Spinner />} <Trans>Save</Trans>
        </Button>
        <p role="status">{update.isSuccess && !isChanged && t`Saved`}</p>
      </div>
    </form>
  );
}
