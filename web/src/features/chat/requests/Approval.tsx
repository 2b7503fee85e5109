import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlert, Wrench } from "lucide-react";
import { useId, useState, type KeyboardEvent } from "react";
import { useDecideToolCall } from "@/data/runs";
import { changesElsewhere, riskOf } from "@/features/chat/approvals";
import { toolLabel } from "@/features/chat/tools";
import { Parameters } from "@/features/chat/trace/Parameters";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { useCtrl } from "@/ui/shortcuts";
import styles from "./InputRequest.module.css";

/** A tool call that waits to be approved. Ctrl+Enter approves and Ctrl+Backspace denies, while the focus is in it. */
export function Approval({ runId, call }: { runId: string; call: ToolCallJson }) {
  const { t } = useLingui();
  const { ctrl, ariaCtrl } = useCtrl();
  const { toolCallId = "", toolName = "", parameters } = call;
  const id = useId();
  const [comment, setComment] = useState("");
  const decision = useDecideToolCall();
  const isDone = decision.isPending || decision.isSuccess;
  const decide = (approved: boolean) => {
    if (!isDone) decision.mutate({ id: runId, toolCallId, approved, comment: comment.trim() });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key !== "Enter" && event.key !== "Backspace") return;
    event.preventDefault();
    decide(event.key === "Enter");
  };
  const name = toolLabel(toolName);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys of the controls inside
    <div className={styles.call} role="group" aria-label={name} aria-describedby={`${id}-risk`} onKeyDown={onKeyDown}>
      <p className={styles.name}>
        <Wrench size={15} aria-hidden />
        <strong>{name}</strong>
        {changesElsewhere(call) && <Badge tone="warn">{t`Changes something`}</Badge>}
      </p>
      <p id={`${id}-risk`} className={styles.risk}>
        <TriangleAlert size={14} aria-hidden />
        {riskOf(call)}
      </p>
      <Parameters parameters={parameters} />
      <div className={styles.reply}>
        <label htmlFor={id} className="visually-hidden">
          <Trans>Comment for the agent</Trans>
        </label>
        <input
          id={id}
          maxLength={10_000}
          placeholder={t`Comment for the agent (optional)`}
          value={comment}
          disabled={isDone}
          onChange={(event) => setComment(event.target.value)}
        />
        <Button disabled={isDone} aria-keyshortcuts={`${ariaCtrl}+Backspace`} title={t`Deny (${ctrl}+Backspace)`} onClick={() => decide(false)}>
          <Trans>Deny</Trans>
        </Button>
        <Button variant="primary" disabled={isDone} aria-keyshortcuts={`${ariaCtrl}+Enter`} title={t`Approve (${ctrl}+Enter)`} onClick={() => decide(true)}>
          <Trans>Approve</Trans>
        </Button>
      </div>
      {decision.error && <Notice tone="danger">{decision.error.message}</Notice>}
    </div>
  );
}
