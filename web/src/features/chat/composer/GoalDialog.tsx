import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { TextArea } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { sessionQuery, setGoal } from "@/features/chat/queries";

/** Says what a conversation works towards. */
export function GoalDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const id = String(session.id ?? 0);
  const client = useQueryClient();
  const [goal, setText] = useState(session.goal ?? "");
  const save = async () => {
    client.setQueryData(sessionQuery(id).queryKey, await setGoal(id, goal.trim()));
  };
  return (
    <FormDialog title="Goal of the conversation" action="Save" onSubmit={save} onClose={onClose}>
      <TextArea
        label="Goal"
        hint="What its answers work towards. Empty means that there is none."
        rows={4}
        maxLength={100_000}
        value={goal}
        onChange={(event) => setText(event.target.value)}
      />
      {session.initialGoal && session.initialGoal !== session.goal && <p>First it was: {session.initialGoal}</p>}
    </FormDialog>
  );
}
