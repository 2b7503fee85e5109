import { Trans, useLingui } from "@lingui/react/macro";
import { SlidersHorizontal, Target } from "lucide-react";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { limitsLabel } from "./options";
import styles from "./Composer.module.css";

interface AskOptionsProps {
  /** Whether the next question is a goal for an autonomous run. */
  isAutoRun: boolean;
  onAutoRunChange: (isAutoRun: boolean) => void;
  options: RunOptionsJson;
  onOpenLimits: () => void;
}

/** Options of the next question, as small buttons under it. */
export function AskOptions({ isAutoRun, onAutoRunChange, options, onOpenLimits }: AskOptionsProps) {
  const { t } = useLingui();
  const limits = limitsLabel(options);
  return (
    <>
      <button type="button" className={styles.toggle} aria-pressed={isAutoRun} onClick={() => onAutoRunChange(!isAutoRun)}>
        <Target size={14} aria-hidden />
        <Trans>Agent mode</Trans>
      </button>
      <button type="button" className={styles.toggle} aria-haspopup="dialog" data-set={limits !== "" || undefined} onClick={onOpenLimits}>
        <SlidersHorizontal size={14} aria-hidden />
        {limits ? t`Run limits: ${limits}` : t`Run limits`}
      </button>
    </>
  );
}
