import { Trans } from "@lingui/react/macro";
import { formatNumber } from "@/ui/format";
import styles from "./UsagePage.module.css";

/** What a chart of tokens shows, and its highest value. */
export function ChartCaption({ highest }: { highest: number }) {
  return (
    <div className={styles.caption}>
      <span>
        <Trans>Tokens</Trans>
      </span>
      <span>
        <Trans>Highest: {formatNumber(highest)}</Trans>
      </span>
    </div>
  );
}
