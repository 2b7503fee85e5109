import { Trans, useLingui } from "@lingui/react/macro";
import { MessageCircleQuestionMark } from "lucide-react";
import { useId, useState, type SyntheticEvent } from "react";
import { useProvideInput } from "@/data/runs";
import type { LiveRun } from "@/features/chat/live/run";
import { approvalQuestion } from "@/features/chat/approvals";
import { toolLabel } from "@/features/chat/tools";
import { Parameters } from "@/features/chat/trace/Parameters";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Approval } from "./Approval";
import { ServerForm } from "./ServerForm";
import styles from "./InputRequest.module.css";

/** The request of a run to the person: tool calls to approve, or a question to answer. */
export function InputRequest({ run }: { run: LiveRun }) {
  const { t } = useLingui();
  const { runId, origin, pendingInput } = run;
  if (!pendingInput) return null;
  const { kind, question, toolCalls = [], form } = pendingInput;
  const server = form?.server ?? "";
  const message = form?.message ?? "";
  const isApproval = kind === "PENDING_INPUT_KIND_APPROVAL";
  const isUnknown = kind === "PENDING_INPUT_KIND_OUTCOME";
  if (isApproval && toolCalls.length === 0) return null;
  return (
    <section className={styles.request} aria-label={isApproval ? t`Needs your approval` : t`Needs your answer`}>
      {origin && (
        <p className={styles.origin}>
          {origin.member ? <Trans>{origin.member} asks: {origin.goal}</Trans> : <Trans>A sub-agent asks: {origin.goal}</Trans>}
        </p>
      )}
      <p className={styles.question}>
        <MessageCircleQuestionMark size={17} aria-hidden />
        <span>{isApproval ? approvalQuestion(toolCalls) : isUnknown ? t`The call was interrupted, and it is unknown whether it took effect. Please check, and reply with the result.` : form ? t`The MCP server ${server} asks: ${message}` : question || t`How should it continue?`}</span>
      </p>
      {isApproval && toolCalls.map((call) => <Approval key={call.toolCallId} runId={runId} call={call} />)}
      {isUnknown &&
        toolCalls.map((call) => (
          <div key={call.toolCallId} className={styles.call}>
            <strong>{toolLabel(call.toolName ?? "")}</strong>
            <Parameters parameters={call.parameters} />
          </div>
        ))}
      {form && <ServerForm key={question} runId={runId} form={form} />}
      {!isApproval && !form && <Reply runId={runId} options={pendingInput.options ?? []} />}
    </section>
  );
}

/** Buttons for the answers to choose from, and room for another one. */
function Reply({ runId, options }: { runId: string; options: readonly string[] }) {
  const { t } = useLingui();
  const id = useId();
  const [text, setText] = useState("");
  const reply = useProvideInput();
  const isDone = reply.isPending || reply.isSuccess;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (text.trim() && !isDone) reply.mutate({ id: runId, content: text.trim() });
  };
  return (
    <>
      {options.length > 0 && (
        <div className={styles.options}>
          {options.map((option) => (
            <Button key={option} disabled={isDone} onClick={() => reply.mutate({ id: runId, content: option })}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <form className={styles.reply} onSubmit={submit}>
        <label htmlFor={id} className="visually-hidden">
          <Trans>Your reply</Trans>
        </label>
        <input
          id={id}
          maxLength={100_000}
          placeholder={options.length > 0 ? t`Or something else` : t`Your reply`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" variant="primary" disabled={isDone || !text.trim()}>
          <Trans>Reply</Trans>
        </Button>
      </form>
      {reply.error && <Notice tone="danger">{reply.error.message}</Notice>}
    </>
  );
}
