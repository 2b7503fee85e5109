import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { groupName, groupsQuery } from "@/data/groups";
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
          <CheckField label={t`Visible to people`} checked={values.isVisible} onChange={(isVisible) => set({ isVisible })} />
          {!isDefault && (
            <CheckField label={t`The default for new conversations`} checked={values.isDefault} onChange={(chosen) => set({ isDefault: chosen })} />
          )}
        </div>
      </FormRow>
      {values.isVisible && !values.isDefault && <GroupsField groups={values.groups} onChange={(groups) => set({ groups })} />}
    </div>
  );
}

/** The groups whose members see the assistant; without any, everyone does. */
function GroupsField({ groups, onChange }: { groups: readonly string[]; onChange: (groups: string[]) => void }) {
  const { t } = useLingui();
  const { data = [] } = useQuery(groupsQuery);
  if (data.length === 0 && groups.length === 0) return null;
  const toggle = (name: string) => onChange(groups.includes(name) ? groups.filter((each) => each !== name) : [...groups, name]);
  return (
    <fieldset className={styles.groups}>
      <legend>
        <Trans>Groups</Trans>
      </legend>
      <p>{groups.length > 0 ? t`Only members of the chosen groups see and use it.` : t`Everyone sees and uses it. Choose groups to limit it to their members.`}</p>
      {data.map((group) => (
        <CheckField key={group.id} label={groupName(group)} checked={groups.includes(group.name ?? "")} onChange={() => toggle(group.name ?? "")} />
      ))}
    </fieldset>
  );
}
