import { useState, type SyntheticEvent } from "react";
import { useDeleteLlm, useSaveLlm, useTestLlm } from "@/data/llms";
import type { LlmJson, LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { CheckField, SelectField, TextField } from "@/ui/Field";
import { formatDuration } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { PROVIDERS, type ProviderHelp } from "./providers";
import styles from "./ConnectModelDialog.module.css";

type Phase =
  | { name: "editing" }
  | { name: "busy"; text: string }
  | { name: "failed"; message: string }
  | { name: "connected"; latencyMs: number };

/** Stores a chat model and tests it; once it has answered, it becomes the default if that is wanted. */
export function ConnectModelDialog({ onClose }: { onClose: () => void }) {
  const saving = useSaveLlm();
  const test = useTestLlm();
  const deletion = useDeleteLlm();
  const [values, setValues] = useState({ modelId: "", endpoint: "", apiKey: "" });
  const [provider, setProvider] = useState<LlmProviderJson>("LLM_PROVIDER_OPENAI");
  const [isDefault, setDefault] = useState(true);
  const [stored, setStored] = useState<number>();
  const [phase, setPhase] = useState<Phase>({ name: "editing" });
  const help = PROVIDERS.find((item) => item.value === provider) as ProviderHelp;
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) =>
    setValues({ ...values, [name]: event.target.value });

  const connect = async () => {
    try {
      setPhase({ name: "busy", text: "Saving…" });
      const { apiKey, modelId, endpoint } = values;
      const name = modelId.trim();
      const llm: LlmJson = { name, provider, modelId: name, endpoint: endpoint.trim(), ...(apiKey && { apiKey }) };
      const { id = 0 } = await saving.mutateAsync(stored ? { id: stored, ...llm } : llm);
      setStored(id);
      setPhase({ name: "busy", text: "Testing the model…" });
      const result = await test.mutateAsync(id);
      if (!result.ok) {
        setPhase({ name: "failed", message: result.message || "The model did not answer." });
        return;
      }
      if (isDefault) await saving.mutateAsync({ id, isDefault: true });
      setPhase({ name: "connected", latencyMs: result.latencyMs ?? 0 });
    } catch (error) {
      setPhase({ name: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
  const close = () => {
    // A model that never answered is not left behind.
    if (stored && phase.name !== "connected") deletion.mutate(stored);
    onClose();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void connect();
  };

  if (phase.name === "connected") {
    return (
      <Dialog title="Model connected" onClose={close}>
        <Notice tone="info">
          {values.modelId} answered in {formatDuration(phase.latencyMs)}.
          {isDefault ? " New questions are answered by it." : " Assistants can now use it."}
        </Notice>
        <DialogActions>
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  const isBusy = phase.name === "busy";
  return (
    <Dialog title="Connect a language model" onClose={close}>
      <form className={styles.form} onSubmit={submit}>
        <p className={styles.intro}>
          With a model EchoMind writes answers in its own words, still with checked citations. Passages that are found
          for a question are sent to the provider that you choose.
        </p>
        <SelectField label="Provider" value={provider} options={PROVIDERS} onChange={(value) => setProvider(value as LlmProviderJson)} />
        <TextField label="Model" required maxLength={255} placeholder={help.modelExample} value={values.modelId} onChange={set("modelId")} />
        <TextField
          label={help.needsEndpoint ? "Endpoint URL" : "Endpoint URL (optional)"}
          type="url"
          required={help.needsEndpoint}
          placeholder={help.endpointExample}
          hint={help.needsEndpoint ? undefined : "Leave blank for the provider's default."}
          value={values.endpoint}
          onChange={set("endpoint")}
        />
        <TextField
          label={help.needsKey ? "API key" : "API key (if the server asks for one)"}
          type="password"
          autoComplete="off"
          hint="Stored encrypted; never shown again."
          value={values.apiKey}
          onChange={set("apiKey")}
        />
        <CheckField label="Make it the default model" checked={isDefault} onChange={setDefault} />
        {phase.name === "failed" && <Notice tone="danger">{phase.message}</Notice>}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isBusy}>
            {isBusy && <Spinner />}
            {isBusy ? phase.text : "Connect"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
