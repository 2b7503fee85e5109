import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { llmsQuery } from "@/data/llms";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormRow } from "@/ui/Form";
import { WaitField } from "./WaitField";

interface RunOptionsFieldsProps {
  options: RunOptionsJson;
  onChange: (options: RunOptionsJson) => void;
}

/** Default options of runs in new conversations. */
export function RunOptionsFields({ options, onChange }: RunOptionsFieldsProps) {
  const { t } = useLingui();
  const { data: llms = [] } = useQuery(llmsQuery);
  const set = (changes: RunOptionsJson) => onChange({ ...options, ...changes });
  const limit = (name: "maxSteps" | "timeoutSeconds") => ({
    type: "number",
    min: 0,
    defaultValue: options[name] || "",
    onBlur: (event: { target: { value: string } }) => {
      const value = Number(event.target.value);
      if (value !== (options[name] ?? 0)) set({ [name]: value });
    },
  });
  const asks = options.askClarifications;
  const choose = (value: string) => {
    const others = { ...options };
    delete others.askClarifications;
    onChange(value === "" ? others : { ...others, askClarifications: value === "yes" });
  };
  return (
    <>
      <FormRow>
        <SelectField
          label={t`Model`}
          value={String(options.llmId ?? 0)}
          options={[
            { value: "0", label: t`As the assistant says` },
            ...llms.filter(({ isActive }) => isActive).map(({ id = 0, name = "" }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => set({ llmId: Number(value) })}
        />
        <SelectField
          label={t`Clarifying questions`}
          value={asks === undefined ? "" : asks ? "yes" : "no"}
          options={[
            { value: "", label: t`As the assistant says` },
            { value: "yes", label: t`Allowed` },
            { value: "no", label: t`Not allowed` },
          ]}
          onChange={choose}
        />
      </FormRow>
      <WaitField
        value={options.waitStrategy}
        onChange={(waitStrategy) => {
          const others = { ...options };
          delete others.waitStrategy;
          onChange(waitStrategy ? { ...others, waitStrategy } : others);
        }}
      />
      <FormRow>
        <TextField label={t`Max steps`} max={1000} placeholder={t`As the assistant says`} {...limit("maxSteps")} />
        <TextField label={t`Max seconds`} max={86_400} placeholder={t`As the assistant says`} {...limit("timeoutSeconds")} />
      </FormRow>
    </>
  );
}
