import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { assistantsQuery } from "@/data/assistants";
import { useDeleteLlm } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { ConfirmDialog } from "@/ui/ConfirmDialog";

interface RemoveModelDialogProps {
  llm: LlmJson;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Confirms the removal of a chat model, and lists the assistants that use it. */
export function RemoveModelDialog({ llm: { id = 0, name = "", isDefault = false }, onClose, onRemoved }: RemoveModelDialogProps) {
  const { t } = useLingui();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const removal = useDeleteLlm();
  const using = assistants.filter(({ llmId }) => llmId === id).map((assistant) => assistant.name);
  const lost = using.length
    ? plural(using.length, {
        one: `The assistant ${using.join(", ")} answers with the default model from now on.`,
        other: `The assistants ${using.join(", ")} answer with the default model from now on.`,
      })
    : t`No assistant names it.`;
  const next = isDefault ? t`The built-in model becomes the default one.` : "";
  return (
    <ConfirmDialog
      title={t`Remove ${name}?`}
      text={[lost, next, t`Its API key is deleted.`].filter(Boolean).join(" ")}
      action={t`Remove`}
      onConfirm={async () => {
        await removal.mutateAsync(id);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}
