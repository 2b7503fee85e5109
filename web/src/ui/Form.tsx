import type { ReactNode, SyntheticEvent } from "react";
import { useId } from "react";
import styles from "./Form.module.css";

/** A form on a page. */
export function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
    </form>
  );
}

interface FormSectionProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** Fields that belong together, under their heading. */
export function FormSection({ title, description, children }: FormSectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.about}>
        <h2 id={id}>{title}</h2>
        {description && <p>{description}</p>}
      </div>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}

/** Fields beside each other where there is room. */
export function FormRow({ children }: { children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}

/** The buttons of a form, always visible, with the result of the last action. */
export function FormActions({ outcome, children }: { outcome?: ReactNode; children: ReactNode }) {
  return (
    <footer className={styles.bar}>
      <div className={styles.outcome}>{outcome}</div>
      <div className={styles.actions}>{children}</div>
    </footer>
  );
}
