import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { passwordOfferQuery, useSetPasswordByLink } from "@/data/auth";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { DeadLink } from "./DeadLink";
import { EntryCard } from "./EntryCard";
import { NewPasswordField } from "./NewPasswordField";
import styles from "./EntryCard.module.css";

/** The page of a password link: sets a new password and signs in. */
export function ResetPage({ token }: { token: string }) {
  const { t } = useLingui();
  const { data: offer, error, refetch } = useQuery(passwordOfferQuery(token));
  return (
    <EntryCard title={error ? t`This link does not work` : t`Choose a new password`}>
      {error && <DeadLink error={error} text={t`It has been used or has expired. Ask an administrator for a new one.`} onRetry={refetch} />}
      {!offer && !error && <Spinner label={t`Loading`} />}
      {offer && <PasswordForm token={token} userName={offer.userName} />}
    </EntryCard>
  );
}

function PasswordForm({ token, userName }: { token: string; userName: string }) {
  const { t } = useLingui();
  const [password, setPassword] = useState("");
  const change = useSetPasswordByLink(token);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate(password);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>
        <Trans>
          For the account <strong>{userName}</strong>.
        </Trans>
      </p>
      {/* For password managers. */}
      <input type="text" name="username" autoComplete="username" value={userName} readOnly hidden />
      <NewPasswordField
        value={password}
        onChange={setPassword}
        hint={t`All browsers that are signed in to this account are signed out.`}
      />
      {change.error && <Notice tone="danger">{change.error.message}</Notice>}
      <Button type="submit" variant="primary" disabled={change.isPending || change.isSuccess}>
        {change.isPending && <Spinner />} <Trans>Set password and sign in</Trans>
      </Button>
    </form>
  );
}
