import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { deadLettersQuery, useDiscardDeadLetter, useReplayDeadLetter } from "@/data/dead-letters";
import type { DeadLetterJson } from "@/gen/echomind/public/v1/dead_letter_pb";
import { IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatTimestamp } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { showFailure, showToast } from "@/ui/toasts";

const KINDS: Readonly<Record<string, ReturnType<typeof msg>>> = {
  summarize_session: msg`Summarize a conversation`,
  title_session: msg`Name a conversation`,
  "connector.scope": msg`Change who finds the documents of a connector`,
  "documents.readers": msg`Update who may read the documents of a connector`,
  "documents.change": msg`Change several documents`,
  "connector.sync": msg`Sync a connector`,
  "memories.extract": msg`Learn memories from a conversation`,
  "knowledge.extract": msg`Learn knowledge from a conversation`,
  "knowledge.lesson": msg`Learn from a failed run`,
  "webhooks.deliver": msg`Send events to webhooks`,
  "evaluations.run": msg`Ask the questions of evaluations`,
};

/** Background jobs that failed permanently. */
export function DeadLettersPage() {
  const { t } = useLingui();
  const found = useInfiniteQuery(deadLettersQuery);
  const letters = found.data?.pages.flatMap((page) => page.deadLetters ?? []);
  return (
    <Page
      title={t`Dead letters`}
      section={t`Administration`}
      description={t`Background jobs that failed permanently. Put one back when its cause is fixed, or discard it.`}
    >
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!letters} label={t`Loading`} />
      {letters && (
        <Rows label={t`Dead letters`} whenEmpty={t`No background job has failed permanently.`}>
          {letters.map((letter) => (
            <LetterRow key={letter.id} letter={letter} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
    </Page>
  );
}

function LetterRow({ letter: { id = "", kind = "", subjectId, reason, attempts = 0, failedAt } }: { letter: DeadLetterJson }) {
  const { t } = useLingui();
  const [isDiscarding, setDiscarding] = useState(false);
  const replay = useReplayDeadLetter();
  const discard = useDiscardDeadLetter();
  const name = KINDS[kind] ? t(KINDS[kind]) : kind;
  return (
    <Row
      name={name}
      facts={[serverWords(reason), `${kind} ${subjectId ?? ""}`.trim(), t`Attempts: ${attempts}`, t`Failed ${formatTimestamp(failedAt)}`]}
      actions={
        <>
          <IconButton
            label={t`Put back into the queue: ${name}`}
            disabled={replay.isPending}
            onClick={() => replay.mutate(id, { onError: showFailure, onSuccess: () => showToast({ message: t`Put back: ${name}` }) })}
          >
            <RotateCcw size={16} />
          </IconButton>
          <IconButton label={t`Discard: ${name}`} onClick={() => setDiscarding(true)}>
            <Trash2 size={16} />
          </IconButton>
        </>
      }
    >
      {isDiscarding && (
        <ConfirmDialog
          title={t`Discard this job?`}
          text={t`It stays undone until something requests it again.`}
          action={t`Discard`}
          onConfirm={() => discard.mutateAsync(id)}
          onClose={() => setDiscarding(false)}
        />
      )}
    </Row>
  );
}
