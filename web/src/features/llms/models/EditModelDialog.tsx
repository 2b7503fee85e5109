import { useState } from "react";
import { useSaveLlm } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Changes a chat model. */
export function EditModelDialog({ llm, onClose }: { llm: LlmJson & { id: number }; onClose: () => void }) {
  const { id, name = "", modelId = "", endpoint = "", contextTokens = 0, maxTokens = 0 } = llm;
  const [values, setValues] = useState({
    name,
    modelId,
    endpoint,
    apiKey: "",
    contextTokens: String(contextTokens || ""),
    maxTokens: String(maxTokens || ""),
  });
  const field = (key: keyof typeof values) => ({
    value: values[key],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [key]: event.target.value }),
  });
  const saving = useSaveLlm();
  const save = () =>
    saving.mutateAsync({
      id,
      name: values.name.trim(),
      modelId: values.modelId.trim(),
      endpoint: values.endpoint.trim(),
      contextTokens: Number(values.contextTokens),
      maxTokens: Number(values.maxTokens),
      ...(values.apiKey && { apiKey: values.apiKey }),
    });
  return (
    <FormDialog title={`Edit ${name}`} action="Save" onSubmit={save} onClose={onClose}>
      <TextField label="Display name" required maxLength={255} {...field("name")} />
      <TextField label="Model" required maxLength={255} {...field("modelId")} />
      <TextField label="Endpoint URL" type="url" hint="Blank: the provider's own. Another server needs the API key again." {...field("endpoint")} />
      <TextField label="API key" type="password" autoComplete="off" hint="Leave blank to keep the stored one." {...field("apiKey")} />
      <TextField
        label="Context window"
        type="number"
        min={0}
        max={10_000_000}
        hint="Tokens of prompt and answer together. Blank: 16,384."
        {...field("contextTokens")}
      />
      <TextField label="Max tokens of an answer" type="number" min={0} max={1_000_000} hint="Blank: the provider's default." {...field("maxTokens")} />
    </FormDialog>
  );
}
