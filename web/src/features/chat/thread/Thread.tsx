import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown } from "lucide-react";
import { Fragment, useMemo } from "react";
import { withEnd } from "@/data/messages";
import { useCurrentUser } from "@/data/users";
import { NO_TEXT } from "@/features/chat/live/answer-text";
import type { Conversation } from "@/features/chat/live/conversations";
import { Plan } from "@/features/chat/plan/Plan";
import type { ChatMessageJson, CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Button } from "@/ui/Button";
import { LiveAnswer } from "./LiveAnswer";
import { LiveStatus } from "./LiveStatus";
import { MessageSlot } from "./MessageSlot";
import { Question, QuestionText } from "./Question";
import { StoredAnswer } from "./StoredAnswer";
import { Summary } from "./Summary";
import type { MessageActions } from "./use-message-actions";
import { useFollow } from "./use-follow";
import styles from "./Thread.module.css";

interface ThreadProps {
  session: ChatSessionJson | undefined;
  messages: readonly ChatMessageJson[];
  runs: readonly RunJson[];
  todos: readonly TodoJson[];
  conversation: Conversation;
  /** Whether a model is the built-in one, which only quotes. */
  isExtractive: (llmId: number) => boolean;
  /** The name of a model; empty when it is not known. */
  modelName: (llmId: number) => string;
  /** Whether it is read-only now. */
  isBusy: boolean;
  actions: MessageActions;
  /** Asks a suggested question; undefined in another person's conversation. */
  onAsk: ((content: string) => void) | undefined;
  onOpenSource: (citation: CitationJson) => void;
}

/** How many of the last messages are always rendered in full. */
const RECENT = 20;
const NO_TODOS: readonly TodoJson[] = [];

/** The messages of a conversation, the live one last. */
export function Thread(props: ThreadProps) {
  const { t } = useLingui();
  const { session, messages, runs, todos, conversation, isExtractive, modelName, isBusy, actions, onAsk, onOpenSource } = props;
  const { feed, question, isConnected } = conversation;
  const asked = conversation.error ? undefined : question;
  const { ref, isFollowing, isAtEnd, toEnd } = useFollow(asked, useCurrentUser().preferences?.followAnswers !== false);
  const runsById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const todosByRun = useMemo(() => byRun(todos), [todos]);
  const finished = feed.finished;
  const shown = useMemo(
    () =>
      messages.map((message) => {
        const end = finished[message.id ?? ""];
        // Later changes arrive when the messages are fetched again.
        return end && message.status === "MESSAGE_STATUS_STREAMING" ? withEnd(message, end) : message;
      }),
    [messages, finished],
  );
  const ownTodos = feed.todos[""] ?? todosByRun.get("") ?? NO_TODOS;
  const writing = shown.findLast(({ status }) => status === "MESSAGE_STATUS_STREAMING");
  const lastQuestion = shown.findLast(({ role }) => role === "MESSAGE_ROLE_USER");
  return (
    <div className={styles.scroller} ref={ref} data-following={isFollowing || undefined} role="log" aria-live="off" aria-label={t`Messages`}>
      <ol className={styles.thread} aria-label={t`Conversation`}>
        {shown.map((message, index) => (
          <Fragment key={message.id || `new-${index}`}>
            <MessageSlot message={message} isRecent={index >= shown.length - RECENT} isLast={index === shown.length - 1 && !asked}>
              {() =>
                message.role === "MESSAGE_ROLE_USER" ? (
                  <Question
                    message={message}
                    run={runsById.get(shown[index + 1]?.runId)}
                    isLast={message === lastQuestion}
                    isBusy={isBusy || !onAsk}
                    isOwn={Boolean(onAsk)}
                    actions={actions}
                  />
                ) : message.status === "MESSAGE_STATUS_STREAMING" ? (
                  <LiveAnswer
                    run={feed.runs[message.runId ?? ""]}
                    feed={feed}
                    todos={todosByRun.get(message.runId ?? "") ?? NO_TODOS}
                    answer={feed.texts[message.id ?? ""] ?? { ...NO_TEXT, text: message.content ?? "" }}
                    stored={message.citations}
                    isConnected={isConnected}
                  />
                ) : (
                  <StoredAnswer
                    message={message}
                    run={runsById.get(message.runId)}
                    todos={todosByRun.get(message.runId ?? "") ?? NO_TODOS}
                    warnings={feed.warnings[message.id ?? ""]}
                    model={modelName(runsById.get(message.runId)?.llmId ?? 0)}
                    isQuoted={isExtractive(runsById.get(message.runId)?.llmId ?? 0)}
                    isBusy={isBusy}
                    actions={actions}
                    onAsk={onAsk}
                    onOpenSource={onOpenSource}
                  />
                )
              }
            </MessageSlot>
            {session?.summary && message.id === session.lastSummarizedMessageId && (
              <li className={styles.message}>
                <Summary text={session.summary} />
              </li>
            )}
          </Fragment>
        ))}
        {ownTodos.length > 0 && (
          <li className={styles.message}>
            <Plan todos={ownTodos} isOwn />
          </li>
        )}
        {asked && (
          <>
            <li className={styles.message} data-question>
              <div className={styles.asked}>
                <QuestionText content={asked.content} attachments={asked.files} />
              </div>
            </li>
            <li className={styles.message} data-last>
              <LiveAnswer run={undefined} feed={feed} todos={NO_TODOS} answer={NO_TEXT} isConnected={isConnected} />
            </li>
          </>
        )}
      </ol>
      <LiveStatus
        feed={feed}
        runId={writing?.runId ?? ""}
        isConnected={isConnected}
        last={shown.findLast(({ role }) => role === "MESSAGE_ROLE_ASSISTANT")}
      />
      {!isAtEnd && (
        <Button size="sm" className={styles.jump} onClick={toEnd}>
          <ArrowDown size={14} /> <Trans>Jump to latest</Trans>
        </Button>
      )}
    </div>
  );
}

/** Todos by the run of their plan; those of people are under "". */
function byRun(todos: readonly TodoJson[]): Map<string, TodoJson[]> {
  const plans = new Map<string, TodoJson[]>();
  for (const todo of todos) {
    const { runId = "" } = todo;
    plans.set(runId, [...(plans.get(runId) ?? []), todo]);
  }
  return plans;
}
