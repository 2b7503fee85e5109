import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";
import { Link } from "wouter";
import { useSaveDraft } from "@/data/assistants";
import { askTrial, beginTrial, endTrial } from "@/data/trials";
import { toolLabel } from "@/features/chat/tools";
import { AnswerText } from "@/features/citations/AnswerText";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { TextArea } from "@/ui/Field";
import { formatDuration, formatNumber } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { newTrial, withTrialEvent, type Trial } from "./answer";
import styles from "./TestPane.module.css";

interface TestPaneProps {
  /** The stored assistant; 0 for a new one. */
  id: number;
  /** The assistant as it is filled in, or undefined while it cannot be stored. */
  assistant: AssistantJson;
  starters: readonly string[];
}

/** Asks the assistant with its unsaved values. These conversations are visible only to the user. */
export function TestPane({ id, assistant, starters }: TestPaneProps) {
  const { t } = useLingui();
  const draft = useSaveDraft();
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [question, setQuestion] = useState("");
  const [session, setSession] = useState(0);
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const stopping = useRef<AbortController>(undefined);
  const opened = useRef(0);
  useEffect(
    () => () => {
      stopping.current?.abort();
      if (opened.current) void endTrial(opened.current).catch(() => undefined);
    },
    [],
  );

  const ask = async (content: string) => {
    const controller = new AbortController();
    stopping.current = controller;
    setBusy(true);
    setFailure(undefined);
    setTrials((before) => [...before, newTrial(content)]);
    try {
      const { id: draftId = 0 } = await draft.mutateAsync({ id, assistant });
      const chat = session || (await beginTrial(draftId));
      opened.current = chat;
      setSession(chat);
      setQuestion("");
      for await (const event of await askTrial(chat, content, controller.signal)) {
        setTrials((before) => [...before.slice(0, -1), withTrialEvent(before.at(-1) ?? newTrial(content), event)]);
      }
    } catch (error) {
      if (!controller.signal.aborted) setFailure(error instanceof Error ? error : new Error(String(error)));
      setTrials((before) => before.filter((trial) => trial.runId));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (question.trim() && !isBusy) void ask(question.trim());
  };
  const restart = () => {
    stopping.current?.abort();
    if (session) void endTrial(session).catch(() => undefined);
    opened.current = 0;
    setSession(0);
    setTrials([]);
    setFailure(undefined);
  };
  return (
    <aside className={styles.pane} aria-label={t`Test`}>
      <header className={styles.header}>
        <h2>
          <Trans>Test</Trans>
        </h2>
        {trials.length > 0 && (
          <Button size="sm" onClick={restart}>
            <Trans>Start over</Trans>
          </Button>
        )}
      </header>
      <p className={styles.hint}>
        <Trans>Tests the assistant with your unsaved changes. Only you can see it.</Trans>
      </p>
      <div className={styles.trials}>
        {trials.length === 0 &&
          starters.map((starter) => (
            <Button key={starter} size="sm" disabled={isBusy} onClick={() => void ask(starter)}>
              {starter}
            </Button>
          ))}
        {trials.map((trial, index) => (
          <TrialView key={index} trial={trial} session={session} />
        ))}
      </div>
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      <form className={styles.ask} onSubmit={submit}>
        <TextArea
          label={t`Test question`}
          rows={2}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
        />
        <Button type="submit" variant="primary" disabled={isBusy || !question.trim()}>
          {isBusy && <Spinner />}
          <Trans>Ask</Trans>
        </Button>
      </form>
    </aside>
  );
}

function TrialView({ trial, session }: { trial: Trial; session: number }) {
  const { t } = useLingui();
  const { question, text, citations, calls, waitsFor, failure, isOver, tokens, durationMs } = trial;
  const sources = new Set(citations.map(({ number }) => number)).size;
  return (
    <article className={styles.trial}>
      <p className={styles.question}>{question}</p>
      {calls.length > 0 && (
        <p className={styles.calls}>
          {calls.map(({ id, name, status }) => (
            <Badge key={id} tone={status === "STEP_STATUS_FAILED" ? "danger" : "neutral"}>
              {toolLabel(name)}
            </Badge>
          ))}
        </p>
      )}
      {text && <AnswerText content={text} citations={citations} />}
      {!isOver && !waitsFor && <Spinner label={t`Answering`} />}
      {waitsFor && (
        <Notice tone="warn">
          <Trans>
            It waits for you: {waitsFor} <Link href={`/chat/${session}`}>Decide in the conversation</Link>
          </Trans>
        </Notice>
      )}
      {failure && <Notice tone="danger">{failure}</Notice>}
      {isOver && (
        <p className={styles.hint}>
          <Plural value={sources} _0="No source" one="# source" other="# sources" />
          {" · "}
          <Trans>{formatNumber(tokens)} tokens</Trans>
          {" · "}
          {formatDuration(durationMs)}
          {" · "}
          <Link href={`/chat/${session}`}>
            <Trans>Open the conversation</Trans>
          </Link>
        </p>
      )}
    </article>
  );
}
