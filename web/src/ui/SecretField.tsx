import { useLingui } from "@lingui/react/macro";
import { useId } from "react";
import { CopyButton } from "./CopyButton";
import styles from "./Field.module.css";

/** A text that is shown once, to be copied. */
export function SecretField({ label, value, hint }: { label: string; value: string; hint: string }) {
  const { t } = useLingui();
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.secret}>
        <input id={id} className={styles.input} readOnly value={value} aria-describedby={`${id}-hint`} onFocus={(event) => event.target.select()} />
        <CopyButton label={t`Copy: ${label}`} text={() => value} />
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
    </div>
  );
}
