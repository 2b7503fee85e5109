import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useCreateInvitation } from "@/data/invitations";
import { SelectField, TextField } from "@/ui/Field";
import { formatTimestamp } from "@/ui/format";
import { FormDialog } from "@/ui/FormDialog";
import { LinkDialog } from "./LinkDialog";
import { RightsFields, type Rights } from "./RightsFields";
import { groupNames } from "./UserFields";

const DAY_MS = 86_400_000;

/** Creates an invitation link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [email, setEmail] = useState("");
  const [days, setDays] = useState("7");
  const [rights, setRights] = useState<Rights>({ role: "ROLE_USER", groups: "" });
  const creation = useCreateInvitation();
  const invite = () =>
    creation.mutateAsync({
      email: email.trim(),
      roles: [rights.role],
      groups: groupNames(rights.groups),
      expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    });
  if (creation.data) {
    const { path, invitation } = creation.data;
    return (
      <LinkDialog
        title={t`Invitation link`}
        label={t`Link`}
        path={path}
        hint={t`Send it to one person: it creates one account, until ${formatTimestamp(invitation?.expiresAt)}. It is not shown again.`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog title={t`Invite a person`} action={t`Create link`} staysOpen onSubmit={invite} onClose={onClose}>
      <TextField
        label={t`E-mail address (optional)`}
        type="email"
        maxLength={255}
        hint={t`If filled in, the account gets this address. No e-mail is sent: you share the link yourself.`}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RightsFields values={rights} onChange={setRights} />
      <SelectField
        label={t`Link works for`}
        value={days}
        options={[
          { value: "1", label: t`1 day` },
          { value: "7", label: t`7 days` },
          { value: "30", label: t`30 days` },
        ]}
        onChange={setDays}
      />
    </FormDialog>
  );
}
