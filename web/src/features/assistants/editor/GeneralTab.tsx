import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { llmsQuery } from "@/data/llms";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import { FormRow } from "@/ui/Form";
import type { AssistantValues } from "./values";
import styles from "./tabs.module.css";

/** Places in a template. */
const QUERY = "{query}";
const CONTEXT = "{context}";

/** The values of an assistant, and how to change some of them. */
export interface TabProps {
  values: AssistantValues;
  set: (changes: Partial<AssistantValues>) => void;
}

/** Name, visibility and prompts of an assistant. */
export function GeneralTab({ values, set, isDefault }: TabProps & { isDefault: boolean }) {
  const { t } = useLingui();
  const { data: llms = [] } = useQuery(llmsQuery);
  const standard = llms.find((llm) => llm.isDefault)?.name ?? "";
  const models = llms
    .filter(({ isActive, id }) => isActive || id === values.llmId)
    .map(({ id = 0, name = "", isActive }) => ({ value: String(id), label: isActive ? name : t`${name} (inactive)` }));
  return (
    <div className={styles.fields}>
      <TextField label={t`Name`} required maxLength={255} value={values.name} onChange={(event) => set({ name: event.target.value })} />
      <TextField
        label={t`Description`}
        maxLength={10_000}
        hint={t`What it is for, shown to users.`}
        value={values.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <SelectField
        label={t`Model`}
        value={String(values.llmId)}
        options={[{ value: "0", label: standard ? t`The default model (${standard})` : t`The default model` }, ...models]}
        onChange={(llmId) => set({ llmId: Number(llmId) })}
      />
      <TextArea
        label={t`Instructions`}
        rows={8}
        maxLength={100_000}
        hint={t`Added to the start of every conversation.`}
        value={values.systemPrompt}
        onChange={(event) => set({ systemPrompt: event.target.value })}
      />
      <TextArea
        label={t`Question template`}
        rows={3}
        maxLength={100_000}
        hint={t`Leave blank to send questions as they are. Must contain ${QUERY}; ${CONTEXT} is where earlier context goes.`}
        value={values.taskPrompt}
        onChange={(event) => set({ taskPrompt: event.target.value })}
      />
      <TextArea
        label={t`Conversation starters`}
        rows={4}
        hint={t`One question a line, at most 20. People see them before their first question.`}
        value={values.starters}
        onChange={(event) => set({ starters: event.target.value })}
      />
      <FormRow>
        <TextField
          label={t`Place in lists`}
          type="number"
          hint={t`Lower comes first.`}
          value={values.displayPriority}
          onChange={(event) => set({ displayPriority: event.target.value })}
        />
        <div className={styles.checks}>
          <CheckField label={t`Visible to everyone`} checked={values.isVisible} onChange={(isVisible) => set({ isVisible })} />
          {!isDefault && (
            <CheckField label={t`The default for new conversations`} checked={values.isDefault} onChange={(chosen) => set({ isDefault: chosen })} />
          )}
        </div>
      </FormRow>
    </div>
  );
}
