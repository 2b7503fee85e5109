import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { formatDuration } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { ConnectModelForm } from "./ConnectModelForm";

/** Connects a chat model, see `ConnectModelForm`, and confirms it. */
export function ConnectModelDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [connected, setConnected] = useState<{ llm: LlmJson; latencyMs: number }>();
  if (!connected) {
    return (
      <Dialog title={t`Connect a language model`} onClose={onClose}>
        <ConnectModelForm onConnected={(llm, latencyMs) => setConnected({ llm, latencyMs })} onCancel={onClose} />
      </Dialog>
    );
  }
  const { llm, latencyMs } = connected;
  return (
    <Dialog title={t`Model connected`} onClose={onClose}>
      <Notice tone={latencyMs ? "info" : "warn"}>
        {latencyMs ? (
          <Trans>
            {llm.name} answered in {formatDuration(latencyMs)}.
          </Trans>
        ) : (
          <Trans>{llm.name} is saved, and has not answered yet.</Trans>
        )}{" "}
        {llm.isDefault ? <Trans>New questions are answered by it.</Trans> : <Trans>Assistants can now use it.</Trans>}
      </Notice>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}
