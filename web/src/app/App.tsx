import { useLingui } from "@lingui/react/macro";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Route, Router, Switch } from "wouter";
import { currentUserQuery } from "@/data/users";
import { ConversationsProvider } from "@/features/chat/ConversationsProvider";
import { UploadsProvider } from "@/features/documents/UploadsProvider";
import { FirstRun } from "@/features/setup/FirstRun";
import { BASE_PATH } from "@/ui/base-path";
import { ConnectionBanner } from "@/ui/ConnectionBanner";
import { lazyPart } from "@/ui/lazy-part";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { ErrorBoundary } from "./ErrorBoundary";
import { createQueryClient } from "./query-client";
import { Shell } from "./Shell";
import styles from "./App.module.css";

/** The application: providers that outlive pages, and the check for a signed-in user. */
export function App() {
  const [client] = useState(createQueryClient);
  return (
    <ErrorBoundary>
      <QueryClientProvider client={client}>
        <Router base={BASE_PATH}>
          <ConversationsProvider>
            <UploadsProvider>
              <Gate />
            </UploadsProvider>
          </ConversationsProvider>
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

const SignInPage = lazyPart(async () => (await import("@/features/sign-in/SignInPage")).SignInPage, { whenFailed: "page" });
const JoinPage = lazyPart(async () => (await import("@/features/sign-in/JoinPage")).JoinPage, { whenFailed: "page" });
const ResetPage = lazyPart(async () => (await import("@/features/sign-in/ResetPage")).ResetPage, { whenFailed: "page" });
const SharedPage = lazyPart(async () => (await import("@/features/shares/SharedPage")).SharedPage, { whenFailed: "page" });
const SetupPage = lazyPart(async () => (await import("@/features/setup/SetupPage")).SetupPage, { whenFailed: "page" });

/** Pages outside of the frame: links, sign-in and the first run. */
function Gate() {
  const { t } = useLingui();
  const { data: user, error, refetch } = useQuery(currentUserQuery);
  const waiting = (
    <div className={styles.center}>
      <title>EchoMind</title>
      <ConnectionBanner />
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading EchoMind`} />}
    </div>
  );
  return (
    <Switch>
      <Route path="/join/:token">{({ token }) => <JoinPage key={token} token={token} fallback={waiting} />}</Route>
      <Route path="/reset/:token">{({ token }) => <ResetPage key={token} token={token} fallback={waiting} />}</Route>
      <Route path="/shared/:token">{({ token }) => <SharedPage key={token} token={token} fallback={waiting} />}</Route>
      {user === null && (
        <Route>
          <SignInPage fallback={waiting} />
        </Route>
      )}
      {user && <Route path="/setup/:step?">{({ step }) => <SetupPage step={step} fallback={waiting} />}</Route>}
      {user && (
        <Route>
          <FirstRun />
          <Shell />
        </Route>
      )}
      <Route>{waiting}</Route>
    </Switch>
  );
}
