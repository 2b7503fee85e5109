import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { WaitField } from "@/features/preferences/WaitField";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import styles from "./OptionsDialog.module.css";

const ASKING = [
  { value: "", label: msg`As the assistant says` },
  { value: "yes", label: msg`Allow clarifying questions` },
  { value: "no", label: msg`No clarifying questions` },
];

/** The limits that are numbers, in the order to show them. */
const LIMITS = [
  { name: "maxSteps", label: msg`Max steps`, max: 1000, step: 1, min: 1 },
  { name: "timeoutSeconds", label: msg`Time limit (seconds)`, max: 86_400, step: 1, min: 1 },
  { name: "maxRunTokens", label: msg`Max tokens`, max: 1e15, step: 1, min: 1 },
  { name: "maxCost", label: msg`Max cost (US dollars)`, max: 999_999, step: "any", min: 0 },
  { name: "maxDepth", label: msg`Max depth of sub-agents`, max: 10, step: 1, min: 0 },
] as const;

/** Value of a limit's field. A depth of 0 means no sub-agents; other limits of 0 are none. */
function limitOf(options: RunOptionsJson, name: (typeof LIMITS)[number]["name"]): string {
  const value = options[name];
  return value === undefined || (name !== "maxDepth" && Number(value) === 0) ? "" : String(value);
}

interface OptionsDialogProps {
  /** Whether they apply to the conversation instead of only the next question. */
  isOfConversation?: boolean;
  options: RunOptionsJson;
  /** Saves them; the dialog closes afterwards. */
  onSave: (options: RunOptionsJson) => unknown;
  onClose: () => void;
}

/** Sets the options of the next question, or of each question of a conversation. */
export function OptionsDialog({ isOfConversation = false, options, onSave, onClose }: OptionsDialogProps) {
  const { t } = useLingui();
  const { askClarifications, autoRun, llmId } = options;
  const [asking, setAsking] = useState(askClarifications === undefined ? "" : askClarifications ? "yes" : "no");
  const [limits, setLimits] = useState(() => Object.fromEntries(LIMITS.map(({ name }) => [name, limitOf(options, name)])));
  const [waitStrategy, setWaitStrategy] = useState(options.waitStrategy);
  const save = () => {
    const given = LIMITS.filter(({ name }) => limits[name]).map(({ name }) => {
      const value = limits[name] ?? "";
      return [name, name === "maxRunTokens" ? value : Number(value)] as const;
    });
    return onSave({
      ...(autoRun !== undefined && { autoRun }),
      ...(llmId && { llmId }),
      ...(asking && { askClarifications: asking === "yes" }),
      ...(waitStrategy && waitStrategy !== "WAIT_STRATEGY_UNSPECIFIED" && { waitStrategy }),
      ...Object.fromEntries(given),
    });
  };
  return (
    <FormDialog
      title={isOfConversation ? t`Run options of the conversation` : t`Run limits`}
      action={isOfConversation ? t`Save` : t({ message: `Use`, context: "verb" })}
      onSubmit={save}
      onClose={onClose}
    >
      <p className={styles.intro}>
        {isOfConversation && (
          <>
            <Trans>Apply to every question in this conversation that has no options of its own.</Trans>{" "}
          </>
        )}
        <Trans>Leave blank to use the assistant's limits. You can only lower them.</Trans>
      </p>
      <div className={styles.limits}>
        {LIMITS.map(({ name, label, max, step, min }) => (
          <TextField
            key={name}
            label={t(label)}
            type="number"
            min={min}
            max={max}
            step={step}
            value={limits[name]}
            onChange={(event) => setLimits({ ...limits, [name]: event.target.value })}
          />
        ))}
      </div>
      <SelectField
        label={t`Clarifying questions`}
        value={asking}
        options={ASKING.map(({ value, label }) => ({ value, label: t(label) }))}
        hint={t`Agent mode asks for approvals only.`}
        onChange={setAsking}
      />
      <WaitField value={waitStrategy} onChange={setWaitStrategy} />
    </FormDialog>
  );
}
