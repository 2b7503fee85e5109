import { useLingui } from "@lingui/react/macro";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Router } from "wouter";
import { currentUserQuery } from "@/data/users";
import { ConversationsProvider } from "@/features/chat/ConversationsProvider";
import { UploadsProvider } from "@/features/documents/UploadsProvider";
import { SignInPage } from "@/features/sign-in/SignInPage";
import { BASE_PATH } from "@/ui/base-path";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { ErrorBoundary } from "./ErrorBoundary";
import { createQueryClient } from "./query-client";
import { Shell } from "./Shell";
import styles from "./App.module.css";

/** The application: what outlives pages, and the gate of signing in. */
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

function Gate() {
  const { t } = useLingui();
  const { data: user, error, refetch } = useQuery(currentUserQuery);
  if (user) return <Shell />;
  if (user === null) return <SignInPage />;
  return (
    <div className={styles.center}>
      <title>EchoMind</title>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading EchoMind`} />}
    </div>
  );
}
