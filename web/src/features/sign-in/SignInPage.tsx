import { useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { PROVIDER_SIGN_IN_URL } from "@/api/routes";
import { signInOptionsQuery, useSignIn } from "@/data/auth";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { Logo } from "@/ui/Logo";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import styles from "./SignInPage.module.css";

/** What people see who are not signed in: the ways to sign in that this server offers. */
export function SignInPage() {
  const { data: options, error, refetch } = useQuery(signInOptionsQuery);
  return (
    <main className={styles.page}>
      <title>Sign in · EchoMind</title>
      <div className={styles.card}>
        <Logo />
        <h1 className={styles.title}>Sign in to EchoMind</h1>
        {error && <LoadFailure error={error} onRetry={refetch} />}
        {!options && !error && <Spinner label="Loading" />}
        {options?.mode === "oidc" && (
          <a className={styles.provider} href={PROVIDER_SIGN_IN_URL}>
            Sign in with your organisation’s account
          </a>
        )}
        {options?.password && <PasswordForm />}
        {options && options.mode !== "oidc" && <LinkHelp isOnlyWay={!options.password} />}
      </div>
    </main>
  );
}

function PasswordForm() {
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
        label="User name or e-mail address"
        autoComplete="username"
        required
        value={userName}
        onChange={(event) => setUserName(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error && <Notice tone="danger">{signIn.error.message}</Notice>}
      <Button type="submit" variant="primary" disabled={signIn.isPending}>
        {signIn.isPending && <Spinner />} Sign in
      </Button>
    </form>
  );
}

function LinkHelp({ isOnlyWay }: { isOnlyWay: boolean }) {
  return (
    <div className={styles.help}>
      <h2>{isOnlyWay ? "Use your sign-in link" : "No password?"}</h2>
      <p>
        When EchoMind starts, <code>echomind up</code> prints a link that signs you in once. Open it in this browser. If
        it is lost or used up, make another one on the machine that EchoMind runs on:
      </p>
      <pre>echomind users link</pre>
    </div>
  );
}
