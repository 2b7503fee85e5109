import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { ApiError } from "@/api/http";
import { messagesQuery } from "@/data/messages";
import { runsQuery, useControlRun, useProvideInput } from "@/data/runs";
import { sessionKeys, useUpdateSession } from "@/data/sessions";
import { todosQuery } from "@/data/todos";
import { useCurrentUser } from "@/data/users";
import { AskOptions } from "@/features/chat/composer/AskOptions";
import { AttachmentChips } from "@/features/chat/composer/AttachmentChips";
import { Composer } from "@/features/chat/composer/Composer";
import { FileDrop } from "@/features/chat/composer/FileDrop";
import { AssistantPicker, ModelPicker } from "@/features/chat/composer/Pickers";
import { useConversation, useConversations } from "@/features/chat/ConversationsProvider";
import { NEW_SESSION } from "@/features/chat/live/conversations";
import { waitingRuns } from "@/features/chat/live/feed";
import { preloadAnswerText } from "@/features/citations/AnswerText";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { Button } from "@/ui/Button";
import { lazyPart } from "@/ui/lazy-part";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { LostAssistant } from "./LostAssistant";
import { ModelNote, useModels } from "./ModelNote";
import { Thread } from "./Thread";
import { useAsking } from "./use-asking";
import { useMessageActions } from "./use-message-actions";
import { Welcome } from "./Welcome";
import styles from "./ConversationView.module.css";

const OptionsDialog = lazyPart(async () => (await import("@/features/chat/composer/OptionsDialog")).OptionsDialog, { whenFailed: "dialog" });

interface ConversationViewProps {
  sessionKey: string;
  session: ChatSessionJson | undefined;
  onOpenSource: (citation: CitationJson) => void;
}

/** One conversation: its messages, and where one writes the next question. */
export function ConversationView({ sessionKey, session, onOpenSource }: ConversationViewProps) {
  const { t } = useLingui();
  const isNew = sessionKey === NEW_SESSION;
  const client = useQueryClient();
  const me = useCurrentUser();
  const conversations = useConversations();
  const conversation = useConversation(sessionKey);
  const messages = useQuery({ ...messagesQuery(sessionKey), enabled: !isNew });
  const { data: runs = [] } = useQuery({ ...runsQuery(sessionKey), enabled: !isNew });
  const { data: todos = [] } = useQuery({ ...todosQuery(sessionKey), enabled: !isNew });
  const [areLimitsOpen, openLimits] = useState(false);
  const [pausing, setPausing] = useState("");
  const control = useControlRun();
  const reply = useProvideInput();
  const update = useUpdateSession(sessionKey);
  const { draft, change, attachments, add, remove, ask, queue, send, isWaiting, isSent } = useAsking(sessionKey);
  const setText = useCallback((text: string) => change({ text }), [change]);
  const { actions, isChanging, error: changeError, reset } = useMessageActions(sessionKey, setText);
  const afterReset = (act: () => void) => () => {
    reset();
    act();
  };
  const { text, options, llmId, queuedAs } = draft;
  const assistant = isNew ? draft.assistantId : (session?.assistantId ?? 0);
  const preferred = (isNew ? me.preferences?.runOptions : session?.preferences)?.llmId ?? 0;
  const { current, isExtractive, nameOf } = useModels(assistant, preferred, isNew || session !== undefined);

  const isForeign = session !== undefined && session.userId !== me.id;
  // Answers in a notebook use only its sources, so files are added to the notebook instead.
  const attach = isForeign || session?.notebookId ? undefined : add;
  // A stable function across renders, because each answer receives it as a prop.
  const suggested = useRef(send);
  useEffect(() => {
    suggested.current = send;
  }, [send]);
  const askSuggested = useCallback((content: string) => suggested.current(content), []);
  // A new conversation needs it for its first answer alone: it is loaded while the question is written.
  const isAnswerNear = !isNew || text !== "";
  useEffect(() => {
    if (isAnswerNear) preloadAnswerText();
  }, [isAnswerNear]);
  const { feed } = conversation;
  const streaming = messages.data?.findLast(({ status }) => status === "MESSAGE_STATUS_STREAMING");
  const isDone = streaming?.id !== undefined && streaming.id in feed.finished;
  const writing = isDone ? undefined : streaming;
  useEffect(() => {
    if (writing?.id && !conversation.error) void conversations.attach(sessionKey, writing.id);
  }, [conversations, sessionKey, writing?.id, conversation.error]);
  useEffect(() => {
    if (feed.sessionChange > 0n) void client.invalidateQueries({ queryKey: sessionKeys.whole(sessionKey) });
  }, [client, sessionKey, feed.sessionChange]);

  const runId = writing?.runId;
  const run = feed.runs[runId ?? ""];
  const asking = runId ? waitingRuns(feed, runId).find(({ pendingInput }) => pendingInput?.kind !== "PENDING_INPUT_KIND_APPROVAL") : undefined;
  const answer = (id: string) => {
    if (text.trim()) reply.mutate({ id, content: text.trim() }, { onSuccess: () => setText("") });
  };
  const isFollowing = conversation.isFollowing || writing !== undefined;
  const isBusy = isFollowing || isChanging;
  const isQueued = queuedAs !== "" && isFollowing;
  // The answer ended while no page followed it, or the queued question was refused: let the user decide whether to send
  // it.
  const isLeftBehind = queuedAs !== "" && messages.isSuccess && !isFollowing;
  useEffect(() => {
    if (isLeftBehind) change({ queuedAs: "" });
  }, [isLeftBehind, change]);
  const canPause = runId && (run?.status === "RUN_STATUS_RUNNING" || run?.status === "RUN_STATUS_WAITING_FOR_CHILDREN");
  // A run that resumes after a pause has a new attempt.
  const turn = run ? `${run.runId}/${run.attempt}` : "";
  const pause = (id: string) => {
    setPausing(turn);
    control.mutate({ id, control: "pause" }, { onError: () => setPausing("") });
  };
  const retry = () => {
    const { question } = conversation;
    if (question) void conversations.ask(sessionKey, question);
    else conversations.dismiss(sessionKey);
  };
  const chooseAssistant = (assistantId: number) => (isNew ? change({ assistantId }) : update.mutate({ assistantId }));
  const isEmpty = isNew ? !conversation.question : messages.data?.length === 0 && !conversation.question;
  const isGone = messages.error instanceof ApiError && messages.error.reason === "NOT_FOUND";
  const failure = control.error ?? reply.error ?? changeError ?? update.error;
  return (
    <FileDrop onFiles={attach}>
      {isGone && (
        <div className={styles.state}>
          <Notice
            tone="info"
            actions={
              <Link href="/">
                <Trans>New conversation</Trans>
              </Link>
            }
          >
            <Trans>This conversation was deleted, or it is not shared with you any more.</Trans>
          </Notice>
        </div>
      )}
      {messages.error && !isGone && (
        <div className={styles.state}>
          <LoadFailure error={messages.error} onRetry={messages.refetch} />
        </div>
      )}
      {messages.isLoading && (
        <div className={styles.state}>
          <Spinner label={t`Loading the conversation`} />
        </div>
      )}
      {isEmpty && <Welcome assistantId={assistant} notebookId={session?.notebookId ?? ""} isExtractive={isExtractive(llmId || current)} onAsk={(starter) => afterReset(() => send(starter))()} />}
      {!isEmpty && !isGone && (messages.data || isNew) && (
        <Thread
          session={session}
          messages={messages.data ?? []}
          runs={runs}
          todos={todos}
          conversation={conversation}
          isExtractive={isExtractive}
          modelName={nameOf}
          isBusy={isBusy}
          actions={actions}
          onAsk={isForeign ? undefined : askSuggested}
          onOpenSource={onOpenSource}
        />
      )}
      {isForeign && (
        <div className={styles.bottom}>
          <Notice tone="info">
            <Trans>This conversation belongs to another person. You can read it, or fork it to continue in your own.</Trans>
          </Notice>
        </div>
      )}
      {!messages.error && !isForeign && (
        <div className={styles.bottom}>
          {session?.archived && (
            <Notice
              tone="info"
              actions={
                <Button size="sm" onClick={() => update.mutate({ archived: false })}>
                  <Trans>Move back to the list</Trans>
                </Button>
              }
            >
              <Trans>This conversation is archived. Your next question moves it back to the list.</Trans>
            </Notice>
          )}
          {conversation.error && (
            <Notice
              tone="danger"
              actions={
                <Button size="sm" onClick={retry}>
                  <Trans>Retry</Trans>
                </Button>
              }
            >
              {conversation.error.status === 401 ? t`Your session expired before this was sent.` : conversation.error.message}
            </Notice>
          )}
          {failure && <Notice tone="danger">{failure.message}</Notice>}
          {session?.assistantId !== undefined && <LostAssistant sessionKey={sessionKey} assistantId={session.assistantId} />}
          {canPause && turn === pausing && (
            <Notice tone="info">
              <Trans>Pausing after this step.</Trans>
            </Notice>
          )}
          <Composer
            text={text}
            onTextChange={setText}
            onSend={asking ? () => answer(asking.runId) : afterReset(ask)}
            onStop={runId ? () => control.mutate({ id: runId, control: "cancel" }) : undefined}
            onPause={canPause ? () => pause(runId) : undefined}
            isPausing={turn !== "" && turn === pausing}
            isBusy={asking ? reply.isPending : isBusy || isWaiting}
            isSent={isSent || isWaiting}
            onQueue={isFollowing && !isSent && !asking ? queue : undefined}
            isQueued={isQueued && !isSent}
            onEdit={() => change({ queuedAs: "" })}
            isAnswer={asking !== undefined}
            onFiles={asking ? undefined : attach}
            header={<AttachmentChips attachments={attachments} onRemove={remove} isWaiting={isWaiting} />}
            footer={
              !isFollowing && (
                <>
                  <AssistantPicker assistantId={assistant} onChange={chooseAssistant} />
                  <ModelPicker assistantId={assistant} preferred={preferred} llmId={llmId} onChange={(id) => change({ llmId: id })} />
                  <AskOptions
                    isAutoRun={options.autoRun ?? session?.preferences?.autoRun ?? false}
                    onAutoRunChange={(autoRun) => change({ options: { ...options, autoRun } })}
                    isExtractive={isExtractive(llmId || current)}
                    options={options}
                    onOpenLimits={() => openLimits(true)}
                  />
                </>
              )
            }
          />
          {areLimitsOpen && <OptionsDialog options={options} onSave={(chosen) => change({ options: chosen })} onClose={() => openLimits(false)} />}
          <div className={styles.note}>
            <ModelNote isExtractive={isExtractive(llmId || current)} />
          </div>
        </div>
      )}
    </FileDrop>
  );
}
