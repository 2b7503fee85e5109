import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { notebookSummaryQuery, useAskInNotebook, useRequestSummary } from "@/data/notebooks";
import type { NotebookSummaryJson } from "@/gen/echomind/public/v1/notebook_summary_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { SuggestedQuestions } from "@/ui/SuggestedQuestions";
import styles from "../notebooks.module.css";

/** The summary of the sources that the reader may read, with suggested questions; opening the page requests it. */
export function Summary({ notebookId }: { notebookId: string }) {
  const { data: summary, error, refetch } = useQuery(notebookSummaryQuery(notebookId));
  const { mutate: request, error: refused, isPending } = useRequestSummary(notebookId);
  const isMissing = summary?.state === "NOTEBOOK_SUMMARY_STATE_NOT_REQUESTED";
  useEffect(() => {
    if (isMissing) request();
  }, [isMissing, request]);
  if (summary?.state === "NOTEBOOK_SUMMARY_STATE_NO_SOURCES") return null;
  return (
    <section className={styles.panel} aria-labelledby="notebook-summary">
      <h2 id="notebook-summary" className={styles.heading}>
        <Trans>Summary</Trans>
      </h2>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {refused && <LoadFailure error={refused} onRetry={() => request()} />}
      {summary && <Content notebookId={notebookId} summary={summary} isRequesting={isPending} onRequest={() => request()} />}
    </section>
  );
}

interface ContentProps {
  notebookId: string;
  summary: NotebookSummaryJson;
  isRequesting: boolean;
  onRequest: () => void;
}

function Content({ notebookId, summary, isRequesting, onRequest }: ContentProps) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const question = useAskInNotebook(notebookId);
  const { state, content = "", questions = [], documents = 0, model, statusMessage } = summary;
  const reason = serverWords(statusMessage);
  if (state === "NOTEBOOK_SUMMARY_STATE_FAILED") {
    return (
      <>
        <Notice tone="danger">
          <Trans>The summary could not be written: {reason}</Trans>
        </Notice>
        <div className={styles.actions}>
          <Button size="sm" disabled={isRequesting} onClick={onRequest}>
            <Trans>Try again</Trans>
          </Button>
        </div>
      </>
    );
  }
  if (state !== "NOTEBOOK_SUMMARY_STATE_READY") return <Spinner label={t`Writing a summary of the sources`} />;
  return (
    <>
      <p className={styles.instructions}>{content}</p>
      <p className={styles.empty}>
        {model === "extractive" ? (
          <Plural value={documents} one="First sentence of the document that you may read." other="First sentences of # documents that you may read." />
        ) : (
          <Plural value={documents} one="Written by the chat model from the document that you may read. Check what matters." other="Written by the chat model from # documents that you may read. Check what matters." />
        )}
      </p>
      {questions.length > 0 && (
        <SuggestedQuestions
          questions={questions}
          isDisabled={question.isPending}
          onAsk={(text) => question.mutate(text, { onSuccess: (id) => navigate(`/chat/${id}`) })}
        />
      )}
      {question.error && <Notice tone="danger">{question.error.message}</Notice>}
    </>
  );
}
