import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useUpdateSession } from "@/data/sessions";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { TextArea } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Sets the goal of a conversation. */
export function GoalDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const { t } = useLingui();
  const update = useUpdateSession(String(session.id ?? 0));
  const [goal, setText] = useState(session.goal ?? "");
  return (
    <FormDialog title={t`Goal of the conversation`} action={t`Save`} onSubmit={() => update.mutateAsync({ goal: goal.trim() })} onClose={onClose}>
      <TextArea
        label={t`Goal`}
        hint={t`What the answers should achieve. Leave blank for none.`}
        rows={4}
        maxLength={100_000}
        value={goal}
        onChange={(event) => setText(event.target.value)}
      />
      {session.initialGoal && session.initialGoal !== session.goal && (
        <p>
          <Trans>Initial goal: {session.initialGoal}</Trans>
        </p>
      )}
    </FormDialog>
  );
}
