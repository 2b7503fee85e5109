import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { useLocation, useSearch } from "wouter";
import { providerSignInUrl } from "@/api/routes";
import { signInOptionsQuery, useSignIn } from "@/data/auth";
import type { SignInProviderJson } from "@/gen/echomind/public/v1/auth_pb";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { QueryView } from "@/ui/QueryView";
import { Spinner } from "@/ui/Spinner";
import { EntryCard } from "./EntryCard";
import styles from "./EntryCard.module.css";

/** The server's sign-in methods, and help for people who cannot sign in. */
export function SignInPage() {
  const { t } = useLingui();
  const { data: options, error, refetch } = useQuery(signInOptionsQuery);
  const providers = options?.providers ?? [];
  return (
    <EntryCard title={t`Sign in to EchoMind`}>
      <QueryView error={error} onRetry={refetch} isPending={!options} label={t`Loading`} />
      {providers.length > 0 && <Providers providers={providers} />}
      {providers.length > 0 && options?.password && (
        <p className={styles.or}>
          <Trans>or with a password</Trans>
        </p>
      )}
      {options?.password && <PasswordForm isSecond={providers.length > 0} />}
      {options && <Help />}
    </EntryCard>
  );
}

/** Links to the providers, which return to the page that was opened. */
function Providers({ providers }: { providers: SignInProviderJson[] }) {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <ul className={styles.providers}>
      {providers.map(({ name = "", title = "" }) => (
        <li key={name}>
          <a className={styles.provider} href={providerSignInUrl(name, search ? `${path}?${search}` : path)}>
            <Trans>Sign in with {title}</Trans>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The sign-in by name and password; `isSecond` below another way to sign in. */
function PasswordForm({ isSecond }: { isSecond: boolean }) {
  const { t } = useLingui();
  const [userName, setUserName] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useSignIn();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    signIn.mutate({ userName, password });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={t`User name or e-mail address`}
        autoComplete="username"
        required
        value={userName}
        onChange={(event) => setUserName(event.target.value)}
      />
      <TextField
        label={t`Password`}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error && <Notice tone="danger">{signIn.error.message}</Notice>}
      <Button type="submit" variant={isSecond ? "secondary" : "primary"} disabled={signIn.isPending}>
        {signIn.isPending && <Spinner />} <Trans>Sign in</Trans>
      </Button>
    </form>
  );
}

/** Help for a missing password, for colleagues first: most readers of this page do not run the server. */
function Help() {
  return (
    <div className={styles.help}>
      <h2>
        <Trans>Can’t sign in?</Trans>
      </h2>
      <ul>
        <li>
          <Trans>
            <strong>No account yet:</strong> ask the person who runs EchoMind for you for an invitation link.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>Password forgotten, or a link that has expired:</strong> ask them for a link to set a new password. They make it
            under Administration › People.
          </Trans>
        </li>
        <li>
          <Trans>
            <strong>You run EchoMind yourself:</strong> make a sign-in link on its machine:
          </Trans>
        </li>
      </ul>
      <pre>echomind users link</pre>
    </div>
  );
}
