import { useLingui } from "@lingui/react/macro";
import { Bot, Footprints, Sparkles, Wrench } from "lucide-react";
import { memberName } from "@/data/runs";
import { toolLabel } from "@/features/chat/tools";
import { classes } from "@/ui/classes";
import { formatDuration } from "@/ui/format";
import type { Bar } from "./bars";
import styles from "./Waterfall.module.css";

const ICONS = { run: Bot, step: Footprints, model: Sparkles, tool: Wrench };

/** A timeline of the parts of a run, a line each; a selected line shows its details. */
export function Waterfall({ bars, chosen, onChoose }: { bars: readonly Bar[]; chosen: string; onChoose: (key: string) => void }) {
  const { t } = useLingui();
  const total = Math.max(1, ...bars.map(({ end }) => end));
  const kinds = { run: t`Run`, step: t`Step`, model: t`Model call`, tool: t`Tool call` };
  const nameOf = ({ kind, run, step, call }: Bar) => {
    if (kind === "run") return [memberName(run), run.goal || run.input || t`Run`].filter(Boolean).join(": ");
    if (kind === "step") return t`Step ${step?.stepNumber ?? 0}`;
    return kind === "model" ? (step?.llmModel ?? "") : toolLabel(call?.toolName ?? "");
  };
  return (
    <ol className={styles.bars} aria-label={t`Timeline`}>
      {bars.map((bar) => {
        const Icon = ICONS[bar.kind];
        const left = (100 * bar.start) / total;
        return (
          <li key={bar.key}>
            <button type="button" className={styles.bar} aria-expanded={bar.key === chosen} onClick={() => onChoose(bar.key)}>
              <span className={styles.name} style={{ paddingInlineStart: `${bar.depth * 0.9}rem` }}>
                <Icon size={14} aria-label={kinds[bar.kind]} />
                <span>{nameOf(bar)}</span>
                {bar.hasFailed && <span className={styles.failed}>{t`failed`}</span>}
              </span>
              <span className={styles.track} aria-hidden>
                <span
                  className={classes(styles.span, styles[bar.kind], bar.hasFailed && styles.broken)}
                  style={{ left: `${left}%`, width: `max(3px, ${Math.min(100 - left, (100 * (bar.end - bar.start)) / total)}%)` }}
                />
              </span>
              <span className={styles.duration}>{formatDuration(bar.end - bar.start)}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
