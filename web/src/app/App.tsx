import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { ConversationsProvider } from "@/features/chat/sessions/ConversationsContext";
import { createConversations } from "@/features/chat/queries";
import { DOCUMENTS_KEY } from "@/features/documents/queries";
import { Uploads } from "@/features/documents/uploads";
import { UploadsProvider } from "@/features/documents/UploadsContext";
import { SignInPage } from "@/features/sign-in/SignInPage";
import { currentUserQuery } from "@/features/users/current-user";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import styles from "./App.module.css";
import { ErrorBoundary } from "./ErrorBoundary";
import { createQueryClient } from "./query-client";
import { Shell } from "./Shell";

/** The application: what outlives pages, and the gate of signing in. */
export function App() {
  const [client] = useState(createQueryClient);
  const [conversations] = useState(() =>
    createConversations(client, (id) => {
      // Whoever has gone to another page meanwhile stays there.
      if (location.pathname === "/") navigate(`/chat/${id}`, { replace: true });
    }),
  );
  const [uploads] = useState(() => {
    const reload = () => Promise.all([DOCUMENTS_KEY, ["connectors"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    return new Uploads(() => void reload());
  });
  return (
    <ErrorBoundary>
      <QueryClientProvider client={client}>
        <ConversationsProvider value={conversations}>
          <UploadsProvider value={uploads}>
            <Gate />
          </UploadsProvider>
        </ConversationsProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Gate() {
  const { data: user, error, refetch } = useQuery(currentUserQuery);
  if (user) return <Shell />;
  if (user === null) return <SignInPage />;
  return (
    <div className={styles.center}>
      <title>EchoMind</title>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label="Loading EchoMind" />}
    </div>
  );
}
