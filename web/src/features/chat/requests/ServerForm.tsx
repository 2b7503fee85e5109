import { Trans, useLingui } from "@lingui/react/macro";
import { useState, type SyntheticEvent } from "react";
import { useProvideInput } from "@/data/runs";
import type { InputFieldJson, InputFormJson } from "@/gen/echomind/public/v1/run_pb";
import { Button } from "@/ui/Button";
import { CheckField, SelectField, TextArea, TextField } from "@/ui/Field";
import fieldset from "@/ui/Fieldset.module.css";
import { Notice } from "@/ui/Notice";
import styles from "./InputRequest.module.css";

type Value = string | boolean | readonly string[];
type Values = Readonly<Record<string, Value>>;

/** The form that a tool of an MCP server asks to fill in. Its texts are the server's. */
export function ServerForm({ runId, form }: { runId: string; form: InputFormJson }) {
  const { t } = useLingui();
  const { server = "", fields = [] } = form;
  const [values, setValues] = useState<Values>(() => Object.fromEntries(fields.map((field) => [field.name ?? "", initial(field)])));
  const reply = useProvideInput();
  const isDone = reply.isPending || reply.isSuccess;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isDone) reply.mutate({ id: runId, content: fields.length > 0 ? JSON.stringify(given(fields, values)) : "accept" });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label={t`Form of ${server}`}>
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name ?? ""] ?? ""}
          onChange={(value) => setValues((before) => ({ ...before, [field.name ?? ""]: value }))}
        />
      ))}
      <p className={styles.origin}>
        <Trans>The answer goes to {server}: give it no password, key or other secret.</Trans>
      </p>
      <div className={styles.options}>
        <Button type="submit" variant="primary" disabled={isDone}>
          {fields.length > 0 ? <Trans>Send</Trans> : <Trans>Agree</Trans>}
        </Button>
        <Button disabled={isDone} onClick={() => reply.mutate({ id: runId, content: "decline" })}>
          <Trans>Decline</Trans>
        </Button>
      </div>
      {reply.error && <Notice tone="danger">{reply.error.message}</Notice>}
    </form>
  );
}

function FormField({ field, value, onChange }: { field: InputFieldJson; value: Value; onChange: (value: Value) => void }) {
  const { t } = useLingui();
  const { name = "", type, required = false, options = [], minimum, maximum } = field;
  const title = field.title || name;
  const label = required ? title : t`${title} (optional)`;
  const hint = field.description || undefined;
  if (type === "INPUT_FIELD_TYPE_BOOLEAN") {
    return <CheckField label={title} hint={hint} checked={value === true} onChange={onChange} />;
  }
  if (type === "INPUT_FIELD_TYPE_ARRAY" && options.length > 0) {
    const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <fieldset className={fieldset.fieldset}>
        <legend>{label}</legend>
        {hint && <p className={styles.origin}>{hint}</p>}
        {options.map((option) => (
          <CheckField
            key={option}
            label={option}
            checked={chosen.includes(option)}
            onChange={(isChosen) => onChange(options.filter((each) => (each === option ? isChosen : chosen.includes(each))))}
          />
        ))}
      </fieldset>
    );
  }
  const text = typeof value === "string" ? value : "";
  if (type === "INPUT_FIELD_TYPE_ARRAY") {
    const lines = Array.isArray(value) ? value.join("\n") : text;
    return <TextArea label={label} hint={hint ?? t`One in each line`} rows={3} value={lines} required={required} onChange={(event) => onChange(event.target.value.split("\n"))} />;
  }
  if (options.length > 0) {
    const none = { value: "", label: t`Choose` };
    const choices = options.map((option) => ({ value: option, label: option }));
    return <SelectField label={label} hint={hint} value={text} required={required} options={text && required ? choices : [none, ...choices]} onChange={onChange} />;
  }
  const isText = type === "INPUT_FIELD_TYPE_STRING";
  const limits = isText
    ? { minLength: whole(minimum), maxLength: whole(maximum) }
    : { min: minimum === undefined ? undefined : String(minimum), max: maximum === undefined ? undefined : String(maximum) };
  return (
    <TextField
      label={label}
      hint={hint}
      type={isText ? inputType(field.format) : "number"}
      step={type === "INPUT_FIELD_TYPE_NUMBER" ? "any" : undefined}
      value={text}
      required={required}
      {...limits}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function inputType(format = ""): string {
  return { email: "email", uri: "url", date: "date", "date-time": "datetime-local" }[format] ?? "text";
}

/** Limits arrive as numbers, or as texts where JSON has no number for them. */
function whole(limit: InputFieldJson["minimum"]): number | undefined {
  return typeof limit === "number" ? limit : undefined;
}

function initial({ type, defaultValues = [] }: InputFieldJson): Value {
  if (type === "INPUT_FIELD_TYPE_BOOLEAN") return defaultValues[0] === "yes";
  return type === "INPUT_FIELD_TYPE_ARRAY" ? defaultValues : (defaultValues[0] ?? "");
}

/** The values as the answer names them: what was left empty is left out, so that the server's default counts. */
function given(fields: readonly InputFieldJson[], values: Values): Record<string, Value> {
  const entries = fields.flatMap(({ name = "" }): [string, Value][] => {
    const value = values[name] ?? "";
    if (typeof value === "boolean") return [[name, value]];
    if (typeof value === "string") return value ? [[name, value]] : [];
    const filled = value.map((each) => each.trim()).filter(Boolean);
    return filled.length > 0 ? [[name, filled]] : [];
  });
  return Object.fromEntries(entries);
}
