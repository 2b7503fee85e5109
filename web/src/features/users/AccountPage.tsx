import { useLingui } from "@lingui/react/macro";
import { KeyRound } from "lucide-react";
import { useState, type SyntheticEvent } from "react";
import { useCurrentUser, useUpdateCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { THEMES, useTheme, type Theme } from "@/ui/theme";
import { PasswordDialog } from "./PasswordDialog";
import { roleLabel } from "./people/roles";
import styles from "./AccountPage.module.css";

/** The reader's own account: name, password, theme. */
export function AccountPage() {
  const { userName, email, groups = [], ...user } = useCurrentUser();
  const { t } = useLingui();
  const [theme, setTheme] = useTheme();
  const [changesPassword, setChangesPassword] = useState(false);
  return (
    <Page title="Account" section="Settings" description={[userName, email].filter(Boolean).join(" · ")}>
      <section className={styles.section} aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <ProfileForm />
        <dl className={styles.facts}>
          <dt>Role</dt>
          <dd>{roleLabel(user)}</dd>
          <dt>Groups</dt>
          <dd>{groups.join(", ") || "None"}</dd>
        </dl>
      </section>
      <section className={styles.section} aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p className={styles.text}>With a password you can sign in without a link.</p>
        <Button onClick={() => setChangesPassword(true)}>
          <KeyRound size={15} /> Change password
        </Button>
      </section>
      <section className={styles.section} aria-labelledby="appearance">
        <h2 id="appearance">Appearance</h2>
        <SelectField label="Theme" value={theme} options={THEMES.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(value) => setTheme(value as Theme)} />
      </section>
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </Page>
  );
}

function ProfileForm() {
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
        label="First name"
        autoComplete="given-name"
        maxLength={255}
        value={values.firstName}
        onChange={(event) => setValues({ ...values, firstName: event.target.value })}
      />
      <TextField
        label="Last name"
        autoComplete="family-name"
        maxLength={255}
        value={values.lastName}
        onChange={(event) => setValues({ ...values, lastName: event.target.value })}
      />
      {update.error && <Notice tone="danger">{update.error.message}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={!isChanged || update.isPending}>
          {update.isPending && <Spinner />} Save
        </Button>
        <p role="status">{update.isSuccess && !isChanged && "Saved"}</p>
      </div>
    </form>
  );
}
