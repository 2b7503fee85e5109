import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSaveLlm, useTestLlmSettings } from "@/data/llms";
import type { LlmJson, LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { CheckField, SelectField, TextField } from "@/ui/Field";
import { Form, FormActions, FormRow, FormSection } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { showToast } from "@/ui/toasts";
import { UnsavedDialog } from "@/ui/UnsavedDialog";
import { useForm } from "@/ui/use-form";
import { providerHelp, PROVIDERS } from "../providers";
import { ModelNameField } from "./ModelNameField";
import { ModelUse } from "./ModelUse";
import { RemoveModelDialog } from "./RemoveModelDialog";
import { TestResult } from "./TestResult";
import { llmOfValues, valuesOf, type ModelValues } from "./values";

/** Changes a chat model, and tests it as it is filled in. */
export function ModelEditor({ llm }: { llm: LlmJson }) {
  const { t } = useLingui();
  const { id = 0 } = llm;
  const [, navigate] = useLocation();
  const form = useForm(valuesOf(llm));
  const { values, isDirty } = form;
  const saving = useSaveLlm();
  const test = useTestLlmSettings();
  const [isRemoving, setRemoving] = useState(false);
  const help = providerHelp(values.provider);
  const set = (changes: Partial<ModelValues>) => {
    form.set(changes);
    test.reset();
  };
  const field = (name: Exclude<keyof ModelValues, "isActive">) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const save = () =>
    saving.mutate(
      { id, ...llmOfValues(values) },
      {
        onSuccess: (saved) => {
          form.saved(valuesOf(saved));
          showToast({ message: t`${saved.name} is saved.` });
        },
      },
    );
  const failure = saving.error ?? test.error;
  return (
    <Form onSubmit={save}>
      <FormSection title={t`Connection`} description={t`Another server or provider needs the API key again.`}>
        <TextField label={t`Display name`} required maxLength={255} {...field("name")} />
        <FormRow>
          <SelectField
            label={t`Provider`}
            value={values.provider}
            options={PROVIDERS.map(({ value, label }) => ({ value, label: t(label) }))}
            onChange={(provider) => set({ provider: provider as LlmProviderJson })}
          />
          <ModelNameField
            provider={values.provider}
            endpoint={values.endpoint.trim()}
            apiKey={values.apiKey}
            id={id}
            canAsk={llm.hasApiKey === true || values.apiKey !== "" || values.endpoint !== ""}
            placeholder={help?.modelExample}
            value={values.modelId}
            onChange={(modelId) => set({ modelId })}
          />
        </FormRow>
        <TextField
          label={t`Endpoint URL`}
          type="url"
          required={help?.needsEndpoint ?? false}
          placeholder={help?.endpointExample}
          hint={help?.needsEndpoint ? undefined : t`Leave blank for the provider's default.`}
          {...field("endpoint")}
        />
        <TextField
          label={t`API key`}
          type="password"
          autoComplete="off"
          hint={llm.hasApiKey ? t`Leave blank to keep the stored one.` : t`None is stored.`}
          {...field("apiKey")}
        />
      </FormSection>
      <FormSection title={t`Limits`} description={t`Leave blank for the defaults.`}>
        <FormRow>
          <TextField label={t`Context window`} type="number" min={0} max={10_000_000} hint={t`Tokens of prompt and answer. Default: 16,384.`} {...field("contextTokens")} />
          <TextField label={t`Max tokens of an answer`} type="number" min={0} max={1_000_000} {...field("maxTokens")} />
          <TextField label={t`Temperature`} type="number" min={0} max={2} step={0.05} hint={t`0 is the most predictable, 2 the most varied.`} {...field("temperature")} />
        </FormRow>
      </FormSection>
      <FormSection title={t`Prices`} description={t`US dollars for a million tokens. Leave both blank for the price list of this release.`}>
        <FormRow>
          <TextField label={t`Input`} type="number" min={0} max={100_000} step="any" required={values.outputPrice !== ""} {...field("inputPrice")} />
          <TextField label={t`Output`} type="number" min={0} max={100_000} step="any" required={values.inputPrice !== ""} {...field("outputPrice")} />
        </FormRow>
      </FormSection>
      <FormSection title={t`Use`}>
        <ModelUse llm={llm} />
        <CheckField label={t`Can be used for answers`} checked={values.isActive} onChange={(isActive) => set({ isActive })} />
      </FormSection>
      <FormActions outcome={failure ? <Notice tone="danger">{failure.message}</Notice> : test.data && <TestResult result={test.data} />}>
        <Button variant="ghost" onClick={() => setRemoving(true)}>
          <Trans>Remove model</Trans>
        </Button>
        <Button disabled={test.isPending} onClick={() => test.mutate({ id, llm: llmOfValues(values) })}>
          {test.isPending && <Spinner />}
          <Trans>Test</Trans>
        </Button>
        {isDirty && (
          <Button onClick={form.reset}>
            <Trans>Discard changes</Trans>
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={!isDirty || saving.isPending}>
          {saving.isPending && <Spinner />}
          <Trans>Save</Trans>
        </Button>
      </FormActions>
      <UnsavedDialog isDirty={isDirty} />
      {isRemoving && <RemoveModelDialog llm={llm} onClose={() => setRemoving(false)} onRemoved={() => navigate("/admin/models")} />}
    </Form>
  );
}
