import { msg, plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { deadLettersQuery, useDiscardDeadLetter, useDiscardDeadLetters, useReplayDeadLetter, useReplayDeadLetters } from "@/data/dead-letters";
import type { DeadLetterJson } from "@/gen/echomind/public/v1/dead_letter_pb";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FilterSelect } from "@/ui/filters";
import { formatTimestamp } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { text, useSearchState } from "@/ui/search-state";
import { ShowMore } from "@/ui/ShowMore";
import { showFailure, showToast } from "@/ui/toasts";

const KINDS: Readonly<Record<string, ReturnType<typeof msg>>> = {
  summarize_session: msg`Summarize a conversation`,
  summarize_notebook: msg`Summarize a notebook`,
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

const STATE = { kind: text() };

/** Background jobs that failed permanently. */
export function DeadLettersPage() {
  const { t } = useLingui();
  const [{ kind }, setState] = useSearchState(STATE);
  const found = useInfiniteQuery(deadLettersQuery(kind));
  const letters = found.data?.pages.flatMap((page) => page.deadLetters ?? []);
  return (
    <Page
      title={t`Dead letters`}
      section={t`Administration`}
      description={t`Background jobs that failed permanently. Put one back when its cause is fixed, or discard it.`}
      actions={letters && letters.length > 0 && <AllActions kind={kind} />}
    >
      <div>
        <FilterSelect
          label={t`Kind`}
          value={kind}
          options={[{ value: "", label: t`All kinds` }, ...Object.entries(KINDS).map(([value, label]) => ({ value, label: t(label) }))]}
          onChange={(value) => setState({ kind: value })}
        />
      </div>
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!letters} label={t`Loading`} />
      {letters && (
        <Rows label={t`Dead letters`} whenEmpty={kind ? t`No background job of this kind has failed permanently.` : t`No background job has failed permanently.`}>
          {letters.map((letter) => (
            <LetterRow key={letter.id} letter={letter} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
    </Page>
  );
}

/** Puts back or discards all dead letters of a kind, or all of them. */
function AllActions({ kind }: { kind: string }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<"replay" | "discard">();
  const replay = useReplayDeadLetters();
  const discard = useDiscardDeadLetters();
  const name = KINDS[kind] ? t(KINDS[kind]) : kind;
  const close = () => setAsked(undefined);
  const title = asked === "replay" ? t`Put all back into the queue?` : t`Discard all?`;
  const effect = asked === "replay" ? t`Each job is done again, with all its attempts.` : t`They stay undone until something requests them again.`;
  const run = async () => {
    if (asked === "replay") {
      const count = await replay.mutateAsync(kind);
      showToast({ message: plural(count, { one: "Put # job back", other: "Put # jobs back" }) });
    } else {
      const count = await discard.mutateAsync(kind);
      showToast({ message: plural(count, { one: "Discarded # job", other: "Discarded # jobs" }) });
    }
  };
  return (
    <>
      <Button onClick={() => setAsked("replay")}>
        <RotateCcw size={16} aria-hidden /> <Trans>Put all back</Trans>
      </Button>
      <Button onClick={() => setAsked("discard")}>
        <Trash2 size={16} aria-hidden /> <Trans>Discard all</Trans>
      </Button>
      {asked && (
        <ConfirmDialog
          title={title}
          text={name ? t`Only jobs of the kind “${name}”. ${effect}` : effect}
          action={asked === "replay" ? t`Put all back` : t`Discard all`}
          onConfirm={run}
          onClose={close}
        />
      )}
    </>
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
