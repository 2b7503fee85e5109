import { Trans, useLingui } from "@lingui/react/macro";
import { SlidersHorizontal, Target } from "lucide-react";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { limitsLabel } from "./options";
import styles from "./Composer.module.css";

interface AskOptionsProps {
  /** Whether the next question is a goal for an autonomous run. */
  isAutoRun: boolean;
  onAutoRunChange: (isAutoRun: boolean) => void;
  /** Whether the chosen model only quotes, and so works towards no goal. */
  isExtractive: boolean;
  options: RunOptionsJson;
  onOpenLimits: () => void;
}

/** Options of the next question, as small buttons under it. */
export function AskOptions({ isAutoRun, onAutoRunChange, isExtractive, options, onOpenLimits }: AskOptionsProps) {
  const { t } = useLingui();
  const limits = limitsLabel(options);
  return (
    <>
      <button
        type="button"
        className={styles.toggle}
        aria-pressed={isAutoRun}
        disabled={isExtractive && !isAutoRun}
        title={isExtractive ? t`Agent mode needs a chat model: the built-in model only quotes.` : undefined}
        onClick={() => onAutoRunChange(!isAutoRun)}
      >
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
