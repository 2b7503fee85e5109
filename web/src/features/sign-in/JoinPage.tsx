import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { InvitationOffer } from "@/api/routes";
import { invitationOfferQuery, useJoin } from "@/data/auth";
import { currentUserQuery, displayName } from "@/data/users";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { formatTimestamp } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { DeadLink } from "./DeadLink";
import { EntryCard } from "./EntryCard";
import { NewPasswordField } from "./NewPasswordField";
import styles from "./EntryCard.module.css";

/** The page of an invitation link: creates an account and signs in. */
export function JoinPage({ token }: { token: string }) {
  const { t } = useLingui();
  const { data: offer, error, refetch } = useQuery(invitationOfferQuery(token));
  return (
    <EntryCard title={error ? t`This invitation does not work` : t`Join EchoMind`}>
      {error && <DeadLink error={error} text={t`It has been used or withdrawn, or has expired. Ask the person who invited you for a new one.`} onRetry={refetch} />}
      {!offer && !error && <Spinner label={t`Loading`} />}
      {offer && <JoinForm token={token} offer={offer} />}
    </EntryCard>
  );
}

function JoinForm({ token, offer }: { token: string; offer: InvitationOffer }) {
  const { t } = useLingui();
  const { data: present } = useQuery(currentUserQuery);
  const [values, setValues] = useState({ firstName: "", lastName: "", email: offer.email, userName: nameOf(offer.email), password: "" });
  const [isNamed, setNamed] = useState(false);
  const joining = useJoin(token);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    joining.mutate(values);
  };
  const text = (name: keyof typeof values) => ({
    maxLength: 255,
    value: values[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>
        <Trans>
          {offer.invitedBy} has invited you. Create your account; the link works until {formatTimestamp(offer.expiresAt)}.
        </Trans>
      </p>
      {present && (
        <Notice tone="warn">
          <Trans>This browser is signed in as {displayName(present)}. Joining signs {displayName(present)} out here.</Trans>
        </Notice>
      )}
      <TextField label={t`First name`} autoComplete="given-name" required {...text("firstName")} />
      <TextField label={t`Last name (optional)`} autoComplete="family-name" {...text("lastName")} />
      <TextField
        label={t`E-mail address`}
        type="email"
        autoComplete="email"
        required
        readOnly={Boolean(offer.email)}
        hint={offer.email ? t`The invitation is for this address.` : undefined}
        {...text("email")}
        onChange={(event) => {
          const email = event.target.value;
          setValues({ ...values, email, userName: isNamed ? values.userName : nameOf(email) });
        }}
      />
      <TextField
        label={t`User name`}
        autoComplete="username"
        required
        hint={t`What you sign in with, beside your e-mail address. No spaces.`}
        {...text("userName")}
        onChange={(event) => {
          setNamed(true);
          setValues({ ...values, userName: event.target.value });
        }}
      />
      <NewPasswordField value={values.password} onChange={(password) => setValues({ ...values, password })} />
      {joining.error && <Notice tone="danger">{joining.error.message}</Notice>}
      <Button type="submit" variant="primary" disabled={joining.isPending || joining.isSuccess}>
        {joining.isPending && <Spinner />} <Trans>Create account</Trans>
      </Button>
    </form>
  );
}

/** The name that an e-mail address suggests. */
function nameOf(email: string): string {
  return (email.split("@")[0] ?? "").toLowerCase().replaceAll(/[\s/]/g, "");
}
