import { Trans, useLingui } from "@lingui/react/macro";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState, type SyntheticEvent } from "react";
import { useKnowledgeOpinion } from "@/data/knowledge";
import type { KnowledgeEntityJson, KnowledgeFeedbackJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { showFailure } from "@/ui/toasts";
import styles from "../knowledge.module.css";

/** The user's opinion of an entity, which can be changed and withdrawn, and the number of helpful votes. */
export function Opinion({ entity }: { entity: KnowledgeEntityJson }) {
  const { t } = useLingui();
  const { id = "", myFeedback, helpfulCount = 0, notHelpfulCount = 0 } = entity;
  const opinion = useKnowledgeOpinion();
  const say = (change: KnowledgeFeedbackJson) => {
    const { helpful, accuracyRating = 0, comment = "" } = { ...myFeedback, ...change };
    const isEmpty = helpful === undefined && accuracyRating === 0 && comment === "";
    const feedback = { accuracyRating, comment, ...(helpful !== undefined && { helpful }) };
    opinion.mutate({ id, feedback: isEmpty ? undefined : feedback }, { onError: showFailure });
  };
  return (
    <section className={styles.panel} aria-labelledby="opinion">
      <h2 id="opinion">
        <Trans>Is it helpful?</Trans>
      </h2>
      <div className={styles.opinion}>
        <Button aria-pressed={myFeedback?.helpful === true} onClick={() => say({ helpful: true })}>
          <ThumbsUp size={16} /> <Trans>Helpful</Trans> {helpfulCount > 0 && helpfulCount}
        </Button>
        <Button aria-pressed={myFeedback?.helpful === false} onClick={() => say({ helpful: false })}>
          <ThumbsDown size={16} /> <Trans>Not helpful</Trans> {notHelpfulCount > 0 && notHelpfulCount}
        </Button>
        <SelectField
          label={t`How accurate is it?`}
          value={String(myFeedback?.accuracyRating ?? 0)}
          options={[
            { value: "0", label: t`Not rated` },
            { value: "5", label: t`5: right` },
            { value: "4", label: "4" },
            { value: "3", label: "3" },
            { value: "2", label: "2" },
            { value: "1", label: t`1: wrong` },
          ]}
          onChange={(value) => say({ accuracyRating: Number(value) })}
        />
        {myFeedback && (
          <Button onClick={() => opinion.mutate({ id, feedback: undefined }, { onError: showFailure })}>
            <Trans>Withdraw</Trans>
          </Button>
        )}
      </div>
      {myFeedback && <Comment key={myFeedback.comment} comment={myFeedback.comment ?? ""} onSave={(comment) => say({ comment })} />}
    </section>
  );
}

/** Why one thinks so; sent when it is saved. */
function Comment({ comment, onSave }: { comment: string; onSave: (comment: string) => void }) {
  const { t } = useLingui();
  const [text, setText] = useState(comment);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSave(text.trim());
  };
  return (
    <form className={styles.comment} onSubmit={submit}>
      <TextField label={t`Comment (optional)`} maxLength={2000} value={text} onChange={(event) => setText(event.target.value)} />
      <Button type="submit" disabled={text.trim() === comment}>
        <Trans>Save comment</Trans>
      </Button>
    </form>
  );
}
