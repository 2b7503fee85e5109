import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyJson } from "@/gen/echomind/public/v1/api_key_pb";
import type { RotateApiKeyResponseJson } from "@/gen/echomind/public/v1/api_key_service_pb";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { KeySecretDialog } from "./KeySecretDialog";

/** For how many seconds the earlier secret continues to work. */
const OVERLAPS = [
  { value: "0", label: msg`Not at all` },
  { value: "3600", label: msg`1 hour` },
  { value: "86400", label: msg`1 day` },
  { value: "604800", label: msg`7 days` },
];

interface RotateKeyDialogProps {
  apiKey: ApiKeyJson;
  onRotate: (overlapSeconds: number) => Promise<RotateApiKeyResponseJson>;
  onClose: () => void;
}

/** Gives an API key another secret, and shows it once. */
export function RotateKeyDialog({ apiKey, onRotate, onClose }: RotateKeyDialogProps) {
  const { t } = useLingui();
  const [overlap, setOverlap] = useState("86400");
  const rotation = useMutation({ mutationFn: onRotate });
  if (rotation.data) {
    return <KeySecretDialog title={t`API key rotated`} secret={rotation.data.secret} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={t`Rotate “${apiKey.name ?? ""}”`}
      action={t`Rotate`}
      isReady
      staysOpen
      onSubmit={() => rotation.mutateAsync(Number(overlap))}
      onClose={onClose}
    >
      <p>
        <Trans>The key gets another secret. Its name, scopes and expiry stay.</Trans>
      </p>
      <SelectField
        label={t`The earlier secret goes on working`}
        value={overlap}
        options={OVERLAPS.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={setOverlap}
      />
    </FormDialog>
  );
}
