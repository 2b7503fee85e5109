import { useLingui } from "@lingui/react/macro";
import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";
import { classes } from "@/ui/classes";
import { ChartCaption } from "./ChartCaption";
import { stacksOf } from "./stacks";
import styles from "./UsagePage.module.css";

const HEIGHT = 100;
/** Share of the track that a bar fills. */
const FILL = 0.75;
const COLORS = [styles.first, styles.second, styles.third, styles.fourth, styles.others];

/** The colour of a model by its place; those beyond the fourth share one. */
function colorOf(model: number): string | undefined {
  return COLORS[Math.min(model, COLORS.length - 1)];
}

/** Tokens by day, stacked by model; the table below has the same figures for screen readers. */
export function StackedChart({ usage }: { usage: readonly UsageJson[] }) {
  const { t } = useLingui();
  const { models, days, highest } = stacksOf(usage);
  if (models.length === 0) return null;
  return (
    <div aria-hidden>
      <ChartCaption highest={highest} />
      <svg className={styles.chart} viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none">
        {days.map(({ day, parts }, index) =>
          parts.map(({ model, from, to }) => (
            <rect
              key={`${day} ${model}`}
              className={colorOf(model)}
              x={index + (1 - FILL) / 2}
              width={FILL}
              y={HEIGHT * (1 - to / highest)}
              height={(HEIGHT * (to - from)) / highest}
            />
          )),
        )}
      </svg>
      <ul className={styles.legend}>
        {models.map(({ id, name }, index) => (
          <li key={id}>
            <svg className={styles.swatch} viewBox="0 0 1 1">
              <rect className={classes(colorOf(index))} width="1" height="1" />
            </svg>
            {name || t({ message: `None`, context: "usage" })}
          </li>
        ))}
      </ul>
    </div>
  );
}
