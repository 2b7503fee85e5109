import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type SyntheticEvent } from "react";
import { useSaveLlm, useTestLlmSettings } from "@/data/llms";
import type { LlmJson, LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { DialogActions } from "@/ui/Dialog";
import { CheckField, SelectField, TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { PROVIDERS, type ProviderHelp } from "./providers";
import { ModelNameField } from "./models/ModelNameField";
import { TestResult } from "./models/TestResult";
import styles from "./ConnectModelForm.module.css";

interface ConnectModelFormProps {
  /** The model is stored, and has answered in so many milliseconds; 0 when it was stored without an answer. */
  onConnected: (llm: LlmJson, latencyMs: number) => void;
  onCancel: () => void;
  /** The words on the button that leaves the form. */
  cancelLabel?: string;
}

/** Connects a chat model: it is tested as it is filled in, and stored once it has answered. */
export function ConnectModelForm({ onConnected, onCancel, cancelLabel }: ConnectModelFormProps) {
  const { t } = useLingui();
  const test = useTestLlmSettings();
  const saving = useSaveLlm();
  const [values, setValues] = useState({ modelId: "", endpoint: "", apiKey: "" });
  const [provider, setProvider] = useState<LlmProviderJson>("LLM_PROVIDER_OPENAI");
  const [isDefault, setDefault] = useState(true);
  const help = PROVIDERS.find((item) => item.value === provider) as ProviderHelp;
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) => {
    setValues({ ...values, [name]: event.target.value });
    test.reset();
  };
  const name = values.modelId.trim();
  const llm: LlmJson = { name, provider, modelId: name, endpoint: values.endpoint.trim(), apiKey: values.apiKey };
  const save = (latencyMs: number) =>
    saving.mutate({ ...llm, isDefault }, { onSuccess: (saved) => onConnected(saved, latencyMs) });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    saving.reset();
    test.mutate({ llm }, { onSuccess: ({ ok, latencyMs = 0 }) => ok && save(latencyMs) });
  };
  const failure = test.error ?? saving.error;
  const isBusy = test.isPending || saving.isPending;
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.intro}>
        <Trans>
          With a model EchoMind writes answers in its own words, still with checked citations. Questions, the conversation so
          far and the passages that are found are sent to the provider that you choose. Memories and knowledge are
          learned from conversations with the model, so it gets them once more when they have ended.
        </Trans>
      </p>
      <SelectField
        label={t`Provider`}
        value={provider}
        options={PROVIDERS.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(value) => {
          setProvider(value as LlmProviderJson);
          test.reset();
        }}
      />
      <TextField
        label={help.needsEndpoint ? t`Endpoint URL` : t`Endpoint URL (optional)`}
        type="url"
        required={help.needsEndpoint}
        placeholder={help.endpointExample}
        hint={help.needsEndpoint ? undefined : t`Leave blank for the provider's default.`}
        value={values.endpoint}
        onChange={set("endpoint")}
      />
      <TextField
        label={help.needsKey ? t`API key` : t`API key (if the server asks for one)`}
        type="password"
        autoComplete="off"
        hint={t`Stored encrypted; never shown again.`}
        value={values.apiKey}
        onChange={set("apiKey")}
      />
      <ModelNameField
        provider={provider}
        endpoint={values.endpoint.trim()}
        apiKey={values.apiKey}
        canAsk={URL.canParse(values.endpoint.trim()) || (!help.needsEndpoint && (!help.needsKey || values.apiKey !== ""))}
        placeholder={help.modelExample}
        value={values.modelId}
        onChange={(modelId) => {
          setValues({ ...values, modelId });
          test.reset();
        }}
      />
      <CheckField label={t`Make it the default model`} checked={isDefault} onChange={setDefault} />
      {test.data && !test.data.ok && <TestResult result={test.data} />}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      <DialogActions>
        <Button onClick={onCancel}>{cancelLabel ?? t`Cancel`}</Button>
        {test.data?.ok === false && (
          <Button disabled={isBusy} onClick={() => save(0)}>
            <Trans>Save anyway</Trans>
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy && <Spinner />}
          {test.isPending ? t`Testing the model…` : saving.isPending ? t`Saving…` : t`Connect`}
        </Button>
      </DialogActions>
    </form>
  );
}
