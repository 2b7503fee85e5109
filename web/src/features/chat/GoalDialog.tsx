import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { TextArea } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { sessionQuery, setGoal } from "./queries";

/** Says what a conversation works towards. */
export function GoalDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const id = String(session.id ?? 0);
  const client = useQueryClient();
  const [goal, setText] = useState(session.goal ?? "");
  const save = useMutation({
    mutationFn: () => setGoal(id, goal.trim()),
    onSuccess: (changed) => {
      client.setQueryData(sessionQuery(id).queryKey, changed);
      onClose();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog title="Goal of the conversation" onClose={onClose}>
      <form onSubmit={submit}>
        <TextArea
          label="Goal"
          hint="What its answers work towards. Empty means that there is none."
          rows={4}
          maxLength={100_000}
          value={goal}
          onChange={(event) => setText(event.target.value)}
        />
        {session.initialGoal && session.initialGoal !== session.goal && <p>First it was: {session.initialGoal}</p>}
        {save.error && <Notice tone="danger">{save.error.message}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
