import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes } from "react";
import styles from "./Field.module.css";

interface Labelled {
  label: string;
  hint?: string | undefined;
  /** What is wrong with what was entered. */
  fault?: string | undefined;
}

/** What is wrong with the value of a field, and its hint. */
function Notes({ id, fault, hint }: { id: string } & Pick<Labelled, "fault" | "hint">) {
  if (!fault && !hint) return null;
  return (
    <p id={`${id}-hint`} className={styles.hint}>
      {fault && <strong className={styles.fault}>{fault}</strong>} {hint}
    </p>
  );
}

/** Attributes of an input with notes. */
function described(id: string, { fault, hint }: Pick<Labelled, "fault" | "hint">) {
  return { id, "aria-describedby": fault || hint ? `${id}-hint` : undefined, "aria-invalid": fault ? true : undefined };
}

/** An input with its label and a hint. */
export function TextField({ label, hint, fault, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input {...described(id, { fault, hint })} className={styles.input} {...rest} />
      <Notes id={id} fault={fault} hint={hint} />
    </div>
  );
}

/** A text of several lines with its label and a hint. */
export function TextArea({ label, hint, fault, ...rest }: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea {...described(id, { fault, hint })} className={styles.input} {...rest} />
      <Notes id={id} fault={fault} hint={hint} />
    </div>
  );
}

interface SelectFieldProps extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> {
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A choice out of a list, with its label. */
export function SelectField({ label, hint, fault, options, onChange, ...rest }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select {...described(id, { fault, hint })} className={styles.input} onChange={(event) => onChange(event.target.value)} {...rest}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Notes id={id} fault={fault} hint={hint} />
    </div>
  );
}

interface CheckFieldProps {
  label: ReactNode;
  hint?: string | undefined;
  checked: boolean;
  disabled?: boolean;
  onChange: (isChecked: boolean) => void;
}

/** Something that holds or does not. */
export function CheckField({ label, hint, checked, disabled = false, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={id} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
