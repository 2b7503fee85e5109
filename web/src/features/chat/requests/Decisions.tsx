import { Trans, useLingui } from "@lingui/react/macro";
import { Check, MessageCircleReply, X } from "lucide-react";
import { toolLabel } from "@/features/chat/tools";
import { toolInput } from "@/features/chat/trace/activity";
import type { DecisionJson } from "@/gen/echomind/public/v1/run_pb";
import { Moment } from "@/ui/Moment";
import styles from "./Decisions.module.css";

/** Decisions and answers of people in a run, with author and time; renders nothing for none. */
export function Decisions({ decisions }: { decisions: readonly DecisionJson[] }) {
  const { t } = useLingui();
  if (decisions.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={t`Decisions`}>
      {decisions.map((decision) => (
        <li key={`${decision.stepNumber ?? 0}/${decision.toolCallId ?? ""}`} className={styles.decision}>
          <Icon decision={decision} />
          <div className={styles.body}>
            <DecisionText decision={decision} />
            <span className={styles.meta}>
              {decision.decidedBy}
              {decision.decisionDate && (
                <Moment at={decision.decisionDate} />
              )}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Icon({ decision: { kind, approved } }: { decision: DecisionJson }) {
  if (kind !== "PENDING_INPUT_KIND_APPROVAL") return <MessageCircleReply size={15} aria-hidden />;
  return approved ? <Check size={15} aria-hidden /> : <X size={15} aria-hidden />;
}

function DecisionText({ decision }: { decision: DecisionJson }) {
  const { kind, toolName = "", text, approved } = decision;
  if (kind === "PENDING_INPUT_KIND_APPROVAL") {
    const name = toolLabel(toolName);
    const input = toolInput(decision);
    return (
      <>
        <span>
          <strong>{approved ? <Trans>Approved: {name}</Trans> : <Trans>Denied: {name}</Trans>}</strong>
          {input && <span className={styles.input}> {input}</span>}
        </span>
        {text && <span className={styles.text}>“{text}”</span>}
      </>
    );
  }
  const question = decision.parameters?.["question"];
  return (
    <>
      {typeof question === "string" && <span className={styles.input}>{question}</span>}
      <span>
        <strong>
          <Trans>Answered:</Trans>
        </strong>{" "}
        {text}
      </span>
    </>
  );
}
