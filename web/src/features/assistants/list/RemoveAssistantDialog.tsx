import { useLingui } from "@lingui/react/macro";
import { useDeleteAssistant } from "@/data/assistants";
import { ConfirmDialog } from "@/ui/ConfirmDialog";

interface RemoveAssistantDialogProps {
  id: number;
  name: string;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Confirms the removal of an assistant. */
export function RemoveAssistantDialog({ id, name, onClose, onRemoved }: RemoveAssistantDialogProps) {
  const { t } = useLingui();
  const removal = useDeleteAssistant();
  return (
    <ConfirmDialog
      title={t`Remove ${name}?`}
      text={t`Its instructions, tools and MCP servers are lost. Conversations with it stay readable, and can continue with another assistant.`}
      action={t`Remove`}
      onConfirm={async () => {
        await removal.mutateAsync(id);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}
