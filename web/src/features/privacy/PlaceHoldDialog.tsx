import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlaceLegalHold } from "@/data/privacy";
import { usersQuery } from "@/data/users";
import { SelectField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

const LONGEST = 1000;

/** Places a legal hold on a person or a conversation. */
export function PlaceHoldDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [kind, setKind] = useState<"person" | "conversation">("person");
  const [userId, setUserId] = useState("0");
  const [sessionId, setSessionId] = useState("");
  const [reason, setReason] = useState("");
  const { data: users = [] } = useQuery(usersQuery);
  const place = usePlaceLegalHold();
  const isNamed = kind === "person" ? userId !== "0" : /^[1-9]\d*$/.test(sessionId);
  return (
    <FormDialog
      title={t`Place legal hold`}
      action={t`Place`}
      isReady={isNamed && reason.trim() !== ""}
      onSubmit={() => place.mutateAsync({ ...(kind === "person" ? { userId: Number(userId) } : { chatSessionId: sessionId }), reason: reason.trim() })}
      onClose={onClose}
    >
      <SelectField
        label={t`Keep`}
        value={kind}
        options={[
          { value: "person", label: t`All that belongs to a person` },
          { value: "conversation", label: t`One conversation` },
        ]}
        onChange={(value) => setKind(value as typeof kind)}
      />
      {kind === "person" ? (
        <SelectField
          label={t`Person`}
          value={userId}
          options={[{ value: "0", label: t`Choose a person` }, ...users.map(({ id, userName = "" }) => ({ value: String(id), label: userName }))]}
          onChange={setUserId}
        />
      ) : (
        <TextField
          label={t`Id of the conversation`}
          inputMode="numeric"
          value={sessionId}
          hint={t`It is in the address of the conversation.`}
          onChange={(event) => setSessionId(event.target.value)}
        />
      )}
      <TextArea
        label={t`Reason`}
        rows={3}
        maxLength={LONGEST}
        value={reason}
        hint={t`Superadmins alone see it.`}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}
