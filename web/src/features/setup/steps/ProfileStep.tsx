import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type SyntheticEvent } from "react";
import { useCurrentUser, useUpdateCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import type { StepProps } from "./step-props";
import styles from "../SetupPage.module.css";

/** Asks for the user's display name. */
export function ProfileStep({ onDone }: StepProps) {
  const { t } = useLingui();
  const user = useCurrentUser();
  const [firstName, setFirstName] = useState(user.firstName ?? "");
  const [lastName, setLastName] = useState(user.lastName ?? "");
  const update = useUpdateCurrentUser();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    update.mutate({ firstName: firstName.trim(), lastName: lastName.trim() }, { onSuccess: onDone });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.text}>
        <Trans>Colleagues see it when you share something.</Trans>
      </p>
      <TextField label={t`First name`} autoComplete="given-name" required maxLength={255} value={firstName} onChange={(event) => setFirstName(event.target.value)} />
      <TextField label={t`Last name (optional)`} autoComplete="family-name" maxLength={255} value={lastName} onChange={(event) => setLastName(event.target.value)} />
      {update.error && <Notice tone="danger">{update.error.message}</Notice>}
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={update.isPending}>
          {update.isPending && <Spinner />} <Trans>Save and continue</Trans>
        </Button>
      </div>
    </form>
  );
}
