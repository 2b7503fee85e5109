import { Target } from "lucide-react";
import styles from "./Composer.module.css";

interface AutoRunToggleProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Whether the next question is a goal to work towards, step after step. */
export function AutoRunToggle({ isOn, onChange }: AutoRunToggleProps) {
  return (
    <button type="button" className={styles.toggle} aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      <Target size={14} aria-hidden />
      Work on it until it is done
    </button>
  );
}
