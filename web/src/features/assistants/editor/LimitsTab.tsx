import { useLingui } from "@lingui/react/macro";
import { CheckField, TextField } from "@/ui/Field";
import { FormRow } from "@/ui/Form";
import type { TabProps } from "./GeneralTab";
import styles from "./tabs.module.css";

type Limit = "maxSteps" | "timeoutSeconds" | "maxRunTokens" | "maxCost" | "maxDepth" | "numHistoryRuns" | "summarizeAfterTokens";

/** Run limits and history settings of an assistant. People can only lower these limits. */
export function LimitsTab({ values, set }: TabProps) {
  const { t } = useLingui();
  const field = (name: Limit) => ({
    type: "number",
    min: 0,
    value: values[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <div className={styles.fields}>
      <p className={styles.about}>{t`Leave blank for the defaults. People can lower them for a question, and never raise them.`}</p>
      <FormRow>
        <TextField label={t`Max steps`} max={1000} placeholder="20" {...field("maxSteps")} />
        <TextField label={t`Max seconds`} max={86_400} placeholder="300" hint={t`Time spent waiting for people does not count.`} {...field("timeoutSeconds")} />
      </FormRow>
      <FormRow>
        <TextField label={t`Max tokens`} placeholder={t`No limit`} hint={t`Prompts and answers of a run together.`} {...field("maxRunTokens")} />
        <TextField label={t`Max cost in US dollars`} step="any" placeholder={t`No limit`} {...field("maxCost")} />
      </FormRow>
      <TextField label={t`Depth of sub-agents`} max={10} placeholder="2" hint={t`0 allows none.`} {...field("maxDepth")} />
      <CheckField label={t`Knows the earlier conversation`} checked={values.knowsHistory} onChange={(knowsHistory) => set({ knowsHistory })} />
      <FormRow>
        <TextField label={t`Earlier answers in a prompt`} max={100} placeholder="5" disabled={!values.knowsHistory} {...field("numHistoryRuns")} />
        <TextField label={t`Summarize after tokens`} placeholder="8000" hint={t`Longer histories are summarized.`} {...field("summarizeAfterTokens")} />
      </FormRow>
    </div>
  );
}
