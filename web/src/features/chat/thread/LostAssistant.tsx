import { Trans, useLingui } from "@lingui/react/macro";
import { useAssistants } from "@/data/assistants";
import { useUpdateSession } from "@/data/sessions";
import { Notice } from "@/ui/Notice";

interface LostAssistantProps {
  sessionKey: string;
  /** The assistant of the conversation. */
  assistantId: number;
}

/** Explains that a conversation's assistant was removed or hidden, and offers others; renders nothing otherwise. */
export function LostAssistant({ sessionKey, assistantId }: LostAssistantProps) {
  const { t } = useLingui();
  const { assistants, assistant, isSuccess } = useAssistants(assistantId);
  const update = useUpdateSession(sessionKey);
  if (!isSuccess || assistant) return null;
  return (
    <Notice
      tone="danger"
      actions={
        <select aria-label={t`Assistant`} value="" disabled={update.isPending} onChange={(event) => update.mutate({ assistantId: Number(event.target.value) })}>
          <option value="" disabled>
            <Trans>Choose an assistant</Trans>
          </option>
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      }
    >
      {update.error?.message ?? t`This conversation's assistant is no longer available. Choose another one to continue.`}
    </Notice>
  );
}
