import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { knowledgeReviewQuery, useKnowledgeDecision } from "@/data/knowledge";
import { Button } from "@/ui/Button";
import { TextArea } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { formatPercent } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import styles from "../knowledge.module.css";
import { Differences } from "./Differences";

/** A proposal with similar entities and differences, and why it may not be approved. */
export function Review({ id, onDone }: { id: string; onDone: (id: string) => void }) {
  const { t } = useLingui();
  const { data: review, error, refetch } = useQuery(knowledgeReviewQuery(id));
  const [isRejecting, setRejecting] = useState(false);
  const [comment, setComment] = useState("");
  const decision = useKnowledgeDecision();
  if (!review?.knowledge) return error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading the review`} />;
  const { knowledge, similar = [], blockedReason = "" } = review;
  const approve = (replacedId?: string) =>
    decision.mutate(
      { id, kind: "approve", revision: knowledge.revision ?? 1, ...(replacedId && { replacedId }) },
      {
        onError: showFailure,
        onSuccess: () => {
          showToast({ message: t`Approved for everyone.` });
          onDone(replacedId ?? id);
        },
      },
    );
  return (
    <section className={styles.panel} aria-labelledby="review">
      <h2 id="review">
        <Trans>Review</Trans>
      </h2>
      {knowledge.proposalNote && <p>{knowledge.proposalNote}</p>}
      {blockedReason && <Notice tone="danger">{serverWords(blockedReason)}</Notice>}
      {similar.length === 0 && (
        <p className={styles.quiet}>
          <Trans>There is no similar knowledge for everyone yet.</Trans>
        </p>
      )}
      {similar.map(({ knowledge: stored, likeness = 0, isDuplicate, differences = [] }) => (
        <article key={stored?.id} className={styles.similar}>
          <h3>
            {stored?.title} · {isDuplicate ? t`duplicate` : t`similar`} · {formatPercent(Number(likeness))}
          </h3>
          <Differences differences={differences} />
          <Button disabled={blockedReason !== ""} onClick={() => approve(stored?.id)}>
            <Trans>Replace with this</Trans>
          </Button>
        </article>
      ))}
      <div className={styles.actions}>
        <Button variant="primary" disabled={blockedReason !== ""} onClick={() => approve()}>
          <Trans>Approve as new</Trans>
        </Button>
        <Button onClick={() => setRejecting(true)}>
          <Trans>Reject</Trans>
        </Button>
      </div>
      {isRejecting && (
        <FormDialog
          title={t`Reject ${knowledge.title ?? ""}`}
          action={t`Reject`}
          isReady={comment.trim() !== ""}
          onSubmit={() => decision.mutateAsync({ id, kind: "reject", comment: comment.trim() })}
          onClose={() => setRejecting(false)}
        >
          <TextArea label={t`Reason, shown to the owner`} required maxLength={1000} rows={3} value={comment} onChange={(event) => setComment(event.target.value)} />
        </FormDialog>
      )}
    </section>
  );
}
