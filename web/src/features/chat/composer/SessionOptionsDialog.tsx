import { useUpdateSession } from "@/data/sessions";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { OptionsDialog } from "./OptionsDialog";

/** Sets the options of each question of a conversation. */
export function SessionOptionsDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const update = useUpdateSession(String(session.id ?? 0));
  return (
    <OptionsDialog
      isOfConversation
      options={session.preferences ?? {}}
      onSave={(preferences) => update.mutateAsync({ preferences })}
      onClose={onClose}
    />
  );
}
