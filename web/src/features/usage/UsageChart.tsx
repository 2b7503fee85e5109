import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";
import { ChartCaption } from "./ChartCaption";
import styles from "./UsagePage.module.css";

const HEIGHT = 100;
/** Share of the track that a bar fills. */
const FILL = 0.75;

/** Tokens as bars; the table below has the same figures for screen readers. */
export function UsageChart({ usage }: { usage: readonly UsageJson[] }) {
  const tokens = usage.map(({ promptTokens, completionTokens }) => Number(promptTokens ?? 0) + Number(completionTokens ?? 0));
  const highest = Math.max(...tokens, 1);
  if (tokens.every((count) => count === 0)) return null;
  return (
    <div aria-hidden>
      <ChartCaption highest={highest} />
      <svg className={styles.chart} viewBox={`0 0 ${tokens.length} ${HEIGHT}`} preserveAspectRatio="none">
        {tokens.map((count, index) => {
          const height = (count / highest) * HEIGHT;
          return <rect key={index} className={styles.bar} x={index + (1 - FILL) / 2} width={FILL} y={HEIGHT - height} height={height} />;
        })}
      </svg>
    </div>
  );
}
