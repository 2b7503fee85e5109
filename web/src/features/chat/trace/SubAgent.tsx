import { Plural, Trans } from "@lingui/react/macro";
import { ChevronRight, GitFork, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { isOver } from "@/data/runs";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import { Badge } from "@/ui/Badge";
import { runLabel } from "./activity";
import styles from "./SubAgent.module.css";

interface SubAgentProps {
  /** The member's name; empty for a sub-agent. */
  member: string;
  goal: string;
  status: RunStatusJson | undefined;
  /** Tokens that it has used so far; undefined and 0 are not shown. */
  tokens?: number | undefined;
  isOpen: boolean;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
}

/** A sub-agent or a team member: its goal and status, and its activity when expanded. */
export function SubAgent({ member, goal, status, tokens = 0, isOpen, onToggle, children }: SubAgentProps) {
  return (
    <details className={styles.agent} open={isOpen} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <ChevronRight size={14} className={styles.chevron} aria-hidden />
        {member ? <UserRound size={14} aria-hidden /> : <GitFork size={14} aria-hidden />}
        {member && <strong>{member}</strong>}
        <span className={styles.goal}>{goal || <Trans>Sub-agent</Trans>}</span>
        {tokens > 0 && <span className={styles.tokens}><Plural value={tokens} one="# token" other="# tokens" /></span>}
        <Badge tone={toneOf(status)}>{runLabel(status)}</Badge>
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}

function toneOf(status: RunStatusJson | undefined) {
  if (status === "RUN_STATUS_COMPLETED") return "accent";
  if (status === "RUN_STATUS_WAITING_FOR_INPUT") return "warn";
  return isOver(status) ? "danger" : "neutral";
}
