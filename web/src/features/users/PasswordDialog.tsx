import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSetPassword } from "@/data/auth";
import { CheckField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Sets the caller's own password. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [currentPassword, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [revokeApiKeys, setRevoke] = useState(false);
  const change = useSetPassword();
  const save = () => change.mutateAsync({ password, currentPassword, revokeApiKeys });
  return (
    <FormDialog title={t`Change password`} action={t`Save`} onSubmit={save} onClose={onClose}>
      <TextField
        label={t`Current password`}
        type="password"
        autoComplete="current-password"
        maxLength={1024}
        hint={t`Leave it empty if you have signed in within the last 10 minutes.`}
        value={currentPassword}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label={t`New password`}
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={1024}
        hint={t`At least 12 characters. Your other sessions and all sign-in links are revoked.`}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <CheckField label={t`Revoke my API keys too`} checked={revokeApiKeys} onChange={setRevoke} />
    </FormDialog>
  );
}
