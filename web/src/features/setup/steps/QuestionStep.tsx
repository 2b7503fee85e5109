import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type SyntheticEvent } from "react";
import { useLocation } from "wouter";
import { useAssistants } from "@/data/assistants";
import { useAskFirst } from "@/data/messages";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import styles from "../SetupPage.module.css";

/** Asks a first question, and opens its conversation. */
export function QuestionStep() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { assistant } = useAssistants(0);
  const [content, setContent] = useState("");
  const asking = useAskFirst();
  const ask = (question: string) => {
    if (question.trim()) asking.mutate(question.trim(), { onSuccess: (session) => navigate(`/chat/${session}`) });
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    ask(content);
  };
  const suggestions = assistant?.starterMessages ?? [];
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.text}>
        <Trans>Ask about your documents, or about EchoMind itself: its guide is there already.</Trans>
      </p>
      <TextField label={t`Question`} required maxLength={10_000} value={content} onChange={(event) => setContent(event.target.value)} />
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={asking.isPending || !content.trim()}>
          {asking.isPending && <Spinner />} <Trans>Ask</Trans>
        </Button>
      </div>
      {asking.error && <Notice tone="danger">{asking.error.message}</Notice>}
      {suggestions.length > 0 && (
        <ul className={styles.suggestions} aria-label={t`Suggestions`}>
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button type="button" onClick={() => ask(suggestion)} disabled={asking.isPending}>
                {suggestion}
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
