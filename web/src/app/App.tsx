import { useLingui } from "@lingui/react/macro";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Route, Router, Switch } from "wouter";
import { currentUserQuery } from "@/data/users";
import { ConversationsProvider } from "@/features/chat/ConversationsProvider";
import { UploadsProvider } from "@/features/documents/UploadsProvider";
import { FirstRun } from "@/features/setup/FirstRun";
import { BASE_PATH } from "@/ui/base-path";
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

const SignInPage = lazy(async () => ({ default: (await import("@/features/sign-in/SignInPage")).SignInPage }));
const JoinPage = lazy(async () => ({ default: (await import("@/features/sign-in/JoinPage")).JoinPage }));
const ResetPage = lazy(async () => ({ default: (await import("@/features/sign-in/ResetPage")).ResetPage }));
const SharedPage = lazy(async () => ({ default: (await import("@/features/shares/SharedPage")).SharedPage }));
const SetupPage = lazy(async () => ({ default: (await import("@/features/setup/SetupPage")).SetupPage }));

/** Pages outside of the frame: links, sign-in and the first run. */
function Gate() {
  const { t } = useLingui();
  const { data: user, error, refetch } = useQuery(currentUserQuery);
  const waiting = (
    <div className={styles.center}>
      <title>EchoMind</title>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading EchoMind`} />}
    </div>
  );
  return (
    <Suspense fallback={waiting}>
      <Switch>
        <Route path="/join/:token">{({ token }) => <JoinPage key={token} token={token} />}</Route>
        <Route path="/reset/:token">{({ token }) => <ResetPage key={token} token={token} />}</Route>
        <Route path="/shared/:token">{({ token }) => <SharedPage key={token} token={token} />}</Route>
        {user === null && (
          <Route>
            <SignInPage />
          </Route>
        )}
        {user && <Route path="/setup/:step?">{({ step }) => <SetupPage step={step} />}</Route>}
        {user && (
          <Route>
            <FirstRun />
            <Shell />
          </Route>
        )}
        <Route>{waiting}</Route>
      </Switch>
    </Suspense>
  );
}
