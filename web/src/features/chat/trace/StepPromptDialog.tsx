import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { stepPromptQuery } from "@/data/runs";
import type { PromptMessageJson } from "@/gen/echomind/public/v1/step_pb";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { Notice } from "@/ui/Notice";
import { toolLabel } from "@/features/chat/tools";
import { QueryView } from "@/ui/QueryView";
import { omissionsLabel } from "./activity";
import { Parameters } from "./Parameters";
import styles from "./StepPromptDialog.module.css";

const ROLES: Record<string, MessageDescriptor> = {
  system: msg`System`,
  user: msg`User`,
  assistant: msg`Assistant`,
  tool: msg`Tool result`,
};

interface StepPromptDialogProps {
  runId: string;
  stepNumber: number;
  onClose: () => void;
}

/** The prompt of one step, as it was sent to the model. */
export function StepPromptDialog({ runId, stepNumber, onClose }: StepPromptDialogProps) {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(stepPromptQuery(runId, stepNumber));
  const omissions = omissionsLabel(data?.omissions);
  return (
    <Dialog title={t`Prompt of step ${stepNumber}`} isWide onClose={onClose}>
      <QueryView error={error} onRetry={refetch} isPending={!data} label={t`Loading the prompt`} />
      {omissions && <Notice tone="info">{omissions}</Notice>}
      <ol className={styles.messages} aria-label={t`Prompt`}>
        {data?.messages?.map((message, index) => <PromptMessage key={index} message={message} />)}
      </ol>
    </Dialog>
  );
}

function PromptMessage({ message }: { message: PromptMessageJson }) {
  const { t } = useLingui();
  const { role = "", content = "", toolCalls = [], toolCallId } = message;
  return (
    <li className={styles.message} data-role={role}>
      <header className={styles.head}>
        <strong>{ROLES[role] ? t(ROLES[role]) : role}</strong>
        {toolCallId && <span className={styles.id}>{toolCallId}</span>}
        {content && <CopyButton label={t`Copy message`} className={styles.copy} text={() => content} />}
      </header>
      {content && <pre className={styles.content}>{content}</pre>}
      {toolCalls.map((call) => (
        <div key={call.toolCallId} className={styles.call}>
          <p>
            {toolLabel(call.toolName ?? "")} <span className={styles.id}>{call.toolCallId}</span>
          </p>
          <Parameters parameters={call.parameters} />
        </div>
      ))}
    </li>
  );
}
