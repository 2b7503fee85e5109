import { Trans } from "@lingui/react/macro";
import { CheckField } from "@/ui/Field";
import styles from "./LimitField.module.css";

interface Item {
  id?: number | undefined;
  name?: string | undefined;
}

interface LimitFieldProps {
  title: string;
  hint: string;
  items: readonly Item[];
  /** IDs of the chosen ones; none means no limit. */
  chosen: readonly number[];
  onChange: (chosen: readonly number[]) => void;
}

/** A choice of the only assistants or connectors that a key may use, folded until something is chosen. */
export function LimitField({ title, hint, items, chosen, onChange }: LimitFieldProps) {
  return (
    <details className={styles.limit}>
      <summary>
        {title}: {chosen.length === 0 ? <Trans>all</Trans> : chosen.length}
      </summary>
      <p className={styles.hint}>{hint}</p>
      <fieldset className={styles.items}>
        <legend className="visually-hidden">{title}</legend>
        {items.map(({ id = 0, name = "" }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={(isChecked) => onChange(isChecked ? [...chosen, id] : chosen.filter((other) => other !== id))}
          />
        ))}
      </fieldset>
    </details>
  );
}
