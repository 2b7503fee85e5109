import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Inbox, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { waitingRunsQuery } from "@/data/runs";
import { sessionQuery } from "@/data/sessions";
import { approvalQuestion, riskOf } from "@/features/chat/approvals";
import { RunStatus } from "@/features/conversations/RunStatus";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { formatRelative } from "@/ui/format";
import { Moment } from "@/ui/Moment";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { FailingWebhooks, useFailingWebhooks } from "./FailingWebhooks";
import { ReceivedShares, useNewShares } from "./ReceivedShares";
import { NotificationSwitch } from "./notifications/NotificationSwitch";
import styles from "./InboxPage.module.css";

/** The inbox: questions of agents, tool calls to approve, and what others have shared with the reader. */
export function InboxPage() {
  const { t } = useLingui();
  const { data: runs, error, refetch } = useQuery(waitingRunsQuery);
  const shares = useNewShares();
  const webhooks = useFailingWebhooks();
  return (
    <Page title={t`Inbox`} description={t`Runs that wait for your answer or approval, and what others have shared with you.`} actions={<NotificationSwitch />}>
      <QueryView error={error} onRetry={refetch} isPending={!runs} label={t`Loading the inbox`} />
      {runs?.length === 0 && shares.length === 0 && webhooks.length === 0 && (
        <div className={styles.empty}>
          <Inbox size={28} aria-hidden />
          <p>
            <Trans>Nothing is waiting for you.</Trans>
          </p>
        </div>
      )}
      <ul className={styles.list} aria-label={t`Waiting for you`}>
        {runs?.map((run) => (
          <WaitingRun key={run.id} run={run} />
        ))}
      </ul>
      <FailingWebhooks webhooks={webhooks} />
      <ReceivedShares shares={shares} />
    </Page>
  );
}

/** A waiting run: its question, and a link to its conversation. */
function WaitingRun({ run }: { run: RunJson }) {
  const session = String(run.chatSessionId ?? 0);
  const { data } = useQuery(sessionQuery(session));
  const { kind, question = "", toolCalls = [] } = run.pendingInput ?? {};
  const isApproval = kind === "PENDING_INPUT_KIND_APPROVAL";
  const risks = isApproval ? [...new Set(toolCalls.map(riskOf))] : [];
  return (
    <li>
      <Link href={`/chat/${session}`} className={styles.item}>
        <span className={styles.head}>
          <RunStatus status={run.status} />
          <strong>{data?.title || run.goal || run.input}</strong>
          <Moment at={run.creationDate} format={formatRelative} />
        </span>
        <span className={styles.asks}>{isApproval ? approvalQuestion(toolCalls) : question}</span>
        {risks.map((risk) => (
          <span key={risk} className={styles.risk}>
            <TriangleAlert size={14} aria-hidden /> {risk}
          </span>
        ))}
        <span className={styles.kind}>
          {isApproval ? <Trans>Waits for approval</Trans> : <Trans>Waits for an answer</Trans>}
          {run.parentRunId && <Trans> · asked by a sub-agent</Trans>}
        </span>
      </Link>
    </li>
  );
}
