import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type SyntheticEvent } from "react";
import { useSetPassword } from "@/data/auth";
import { useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import type { StepProps } from "./step-props";
import styles from "../SetupPage.module.css";

/** Sets the first password: the link that led here works once. */
export function PasswordStep({ isDone, onDone }: StepProps) {
  const { t } = useLingui();
  const { userName = "" } = useCurrentUser();
  const [password, setPassword] = useState("");
  const change = useSetPassword();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate({ password }, { onSuccess: onDone });
  };
  if (isDone) {
    return (
      <div className={styles.form}>
        <p className={styles.text}>
          <Trans>You have a password. You can change it under Settings › Account.</Trans>
        </p>
        <div className={styles.actions}>
          <Button variant="primary" onClick={onDone}>
            <Trans>Continue</Trans>
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.text}>
        <Trans>
          The link that brought you here works once. With a password you sign in any time, as <strong>{userName}</strong>.
        </Trans>
      </p>
      {/* For password managers. */}
      <input type="text" name="username" autoComplete="username" value={userName} readOnly hidden />
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={1024}
        hint={t`At least 12 characters; several words make a good one.`}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {change.error && <Notice tone="danger">{change.error.message}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={change.isPending}>
          {change.isPending && <Spinner />} <Trans>Set password and continue</Trans>
        </Button>
      </div>
    </form>
  );
}
