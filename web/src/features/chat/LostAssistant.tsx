import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAssistants } from "@/features/assistants/assistants";
import { Notice } from "@/ui/Notice";
import { changeAssistant, sessionQuery } from "./queries";

interface LostAssistantProps {
  sessionKey: string;
  /** The assistant of the conversation. */
  assistantId: number;
}

/** Says that a conversation's assistant was removed or hidden, and offers the others; nothing while it is there. */
export function LostAssistant({ sessionKey, assistantId }: LostAssistantProps) {
  const client = useQueryClient();
  const { assistants, assistant, isSuccess } = useAssistants(assistantId);
  const choose = useMutation({
    mutationFn: (id: number) => changeAssistant(sessionKey, id),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery(sessionKey).queryKey }),
  });
  if (!isSuccess || assistant) return null;
  return (
    <Notice
      tone="danger"
      actions={
        <select aria-label="Assistant" value="" disabled={choose.isPending} onChange={(event) => choose.mutate(Number(event.target.value))}>
          <option value="" disabled>
            Choose an assistant
          </option>
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      }
    >
      {choose.error?.message ?? "The assistant of this conversation is not available any more. Choose another one to ask more."}
    </Notice>
  );
}
