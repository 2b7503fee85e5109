import { useEffect, useRef } from "react";
import styles from "./DataTable.module.css";

interface SelectBoxProps {
  label: string;
  state: "all" | "some" | "none";
  /** Called with whether a range up to here is meant. */
  onToggle: (isRange: boolean) => void;
}

/** The checkbox of a row, or of all rows. */
export function SelectBox({ label, state, onToggle }: SelectBoxProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = state === "some";
  }, [state]);
  return (
    <label className={styles.box}>
      <input
        ref={ref}
        type="checkbox"
        aria-label={label}
        checked={state === "all"}
        onChange={(event) => onToggle("shiftKey" in event.nativeEvent && event.nativeEvent.shiftKey === true)}
      />
    </label>
  );
}
