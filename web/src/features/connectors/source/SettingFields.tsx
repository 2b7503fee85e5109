import { useLingui } from "@lingui/react/macro";
import type { SettingFieldJson } from "@/gen/echomind/public/v1/connector_pb";
import { serverWords } from "@/api/error-words";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import { FormSection } from "@/ui/Form";
import { entered, type Settings } from "./values";

interface SettingFieldsProps {
  fields: readonly SettingFieldJson[];
  values: Settings;
  /** Errors of fields, by name. */
  faults?: Readonly<Record<string, string>>;
  /** Whether it is optional as a whole. */
  isOptional?: boolean;
  onChange: (values: Settings) => void;
}

/** Form fields generated from the settings of a source type. */
export function SettingFields({ fields, values, faults = {}, isOptional = false, onChange }: SettingFieldsProps) {
  return fields.map((field) => (
    <SettingInput
      key={field.name}
      field={field}
      value={values[field.name ?? ""]}
      faults={faults}
      isOptional={isOptional}
      onChange={(value) => onChange({ ...values, [field.name ?? ""]: value })}
    />
  ));
}

interface SettingInputProps {
  field: SettingFieldJson;
  value: unknown;
  faults: Readonly<Record<string, string>>;
  isOptional: boolean;
  onChange: (value: unknown) => void;
}

function SettingInput({ field, value, faults, isOptional, onChange }: SettingInputProps) {
  const { t } = useLingui();
  const { name = "", title = name, description = "", kind, required = false, choices = [], choiceTitles = [], fields: parts = [], example = "" } = field;
  const fault = faults[name];
  const hint = quoted(description) || undefined;
  const shown = value ?? field.defaultValue ?? "";
  const written = typeof shown === "string" || typeof shown === "number" ? String(shown) : "";
  const common = { label: required ? title : t`${title} (optional)`, hint, fault: fault && sentence(serverWords(fault)), required: required && !isOptional };
  switch (kind) {
    case "SETTING_KIND_BOOLEAN":
      return <CheckField label={title} checked={Boolean(shown)} onChange={onChange} />;
    case "SETTING_KIND_CHOICE":
      return (
        <SelectField
          {...common}
          value={written}
          options={[
            ...(written === "" ? [{ value: "", label: t`Choose one` }] : []),
            ...choices.map((choice, place) => ({ value: choice, label: choiceTitles[place] ?? choice })),
          ]}
          onChange={onChange}
        />
      );
    case "SETTING_KIND_LIST": {
      const lines = Array.isArray(shown) ? (shown as string[]) : [];
      return (
        <TextArea
          {...common}
          hint={[hint, t`One a line.`].filter(Boolean).join(" ")}
          rows={3}
          spellCheck={false}
          placeholder={readExample(example).join("\n")}
          value={lines.join("\n")}
          onChange={(event) => onChange(event.target.value.split("\n"))}
        />
      );
    }
    case "SETTING_KIND_GROUP":
      return (
        <FormSection title={title} description={quoted(description)}>
          <SettingFields
            fields={parts}
            values={(value ?? {}) as Settings}
            faults={below(faults, name)}
            isOptional={!required && Object.keys(entered(parts, (value ?? {}) as Settings)).length === 0}
            onChange={onChange}
          />
        </FormSection>
      );
    case "SETTING_KIND_INTEGER":
    case "SETTING_KIND_NUMBER":
      return (
        <TextField
          {...common}
          type="number"
          min={field.minimum}
          max={field.maximum}
          step={kind === "SETTING_KIND_INTEGER" ? 1 : "any"}
          value={written}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "SETTING_KIND_MULTILINE":
      return <TextArea {...common} rows={5} spellCheck={false} placeholder={example} value={written} onChange={(event) => onChange(event.target.value)} />;
    default: {
      const type = kind === "SETTING_KIND_SECRET" ? "password" : "text";
      return (
        <TextField
          {...common}
          type={type}
          autoComplete="off"
          placeholder={example}
          value={written}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    }
  }
}

/** A rule as the server words it, such as “must be positive”, as a sentence of its own. */
function sentence(rule: string): string {
  return `${rule.charAt(0).toUpperCase()}${rule.slice(1)}${/[.!?]$/.test(rule) ? "" : "."}`;
}

/** A description of the contract as display text, with its backticks replaced. */
function quoted(text: string): string {
  return text.replace(/`([^`]*)`/g, "“$1”");
}

/** Errors below a group. */
function below(faults: Readonly<Record<string, string>>, name: string): Record<string, string> {
  const inner = Object.entries(faults).filter(([place]) => place.startsWith(`${name}.`));
  return Object.fromEntries(inner.map(([place, rule]) => [place.slice(name.length + 1), rule]));
}

/** Examples of lists are JSON. */
function readExample(example: string): string[] {
  try {
    const lines: unknown = JSON.parse(example);
    return Array.isArray(lines) ? lines.map(String) : [example];
  } catch {
    return example ? [example] : [];
  }
}
