import { Wrench } from "lucide-react";
import { useId, useState } from "react";
import { useDecideToolCall } from "@/data/runs";
import { toolLabel } from "@/features/chat/trace/activity";
import { Parameters } from "@/features/chat/trace/Parameters";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import styles from "./InputRequest.module.css";

/** A tool call that waits to be allowed. */
export function Approval({ runId, call }: { runId: string; call: ToolCallJson }) {
  const { toolCallId = "", toolName = "", parameters, sideEffect } = call;
  const id = useId();
  const [comment, setComment] = useState("");
  const decision = useDecideToolCall();
  const decide = (approved: boolean) => decision.mutate({ id: runId, toolCallId, approved, comment: comment.trim() });
  const isDone = decision.isPending || decision.isSuccess;
  const name = toolLabel(toolName);
  return (
    <div className={styles.call} role="group" aria-label={name}>
      <p className={styles.name}>
        <Wrench size={15} aria-hidden />
        <strong>{name}</strong>
        {sideEffect && <Badge tone="warn">Side effect</Badge>}
      </p>
      <Parameters parameters={parameters} />
      <div className={styles.reply}>
        <label htmlFor={id} className="visually-hidden">
          Comment for the agent
        </label>
        <input
          id={id}
          maxLength={10_000}
          placeholder="Comment for the agent (optional)"
          value={comment}
          disabled={isDone}
          onChange={(event) => setComment(event.target.value)}
        />
        <Button disabled={isDone} onClick={() => decide(false)}>
          Deny
        </Button>
        <Button variant="primary" disabled={isDone} onClick={() => decide(true)}>
          Approve
        </Button>
      </div>
      {decision.error && <Notice tone="danger">{decision.error.message}</Notice>}
    </div>
  );
}
