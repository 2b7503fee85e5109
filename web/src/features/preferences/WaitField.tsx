import { useLingui } from "@lingui/react/macro";
import type { WaitStrategyJson } from "@/gen/echomind/public/v1/step_pb";
import { SelectField } from "@/ui/Field";

interface WaitFieldProps {
  /** Undefined and unspecified mean the assistant's value. */
  value: WaitStrategyJson | undefined;
  onChange: (strategy: WaitStrategyJson | undefined) => void;
}

/** Which results a step with several parallel calls waits for. */
export function WaitField({ value, onChange }: WaitFieldProps) {
  const { t } = useLingui();
  return (
    <SelectField
      label={t`Parallel calls`}
      value={value === "WAIT_STRATEGY_UNSPECIFIED" ? "" : (value ?? "")}
      options={[
        { value: "", label: t`As the assistant says` },
        { value: "WAIT_STRATEGY_ALL", label: t`Wait for all results` },
        { value: "WAIT_STRATEGY_MAJORITY", label: t`Wait for more than half` },
        { value: "WAIT_STRATEGY_ANY", label: t`Wait for the first success` },
      ]}
      onChange={(chosen) => onChange(chosen === "" ? undefined : (chosen as WaitStrategyJson))}
    />
  );
}
