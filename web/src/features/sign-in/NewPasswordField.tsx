import { useLingui } from "@lingui/react/macro";
import { TextField } from "@/ui/Field";

/** A password that is chosen; password managers make one here. */
export function NewPasswordField({ value, onChange, hint }: { value: string; onChange: (value: string) => void; hint?: string }) {
  const { t } = useLingui();
  const rule = t`At least 12 characters; several words make a good one.`;
  return (
    <TextField
      label={t`New password`}
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={1024}
      hint={hint ? `${rule} ${hint}` : rule}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
