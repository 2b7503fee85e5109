import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { EvaluationFiguresJson, EvaluationRunJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { classes } from "@/ui/classes";
import { formatCost, formatDuration, formatNumber, formatPercent } from "@/ui/format";
import { SHARES, shareOf } from "./measures";
import styles from "../evaluation.module.css";

/** What was measured, with bars of its shares. */
export function Figures({ figures = {} }: { figures?: EvaluationFiguresJson | undefined }) {
  const { t } = useLingui();
  const tokens = Number(figures.tokens ?? 0);
  const judgeTokens = Number(figures.judgeTokens ?? 0);
  return (
    <dl className={styles.figures} aria-label={t`Figures`}>
      {SHARES.map(({ name, label, hint }) => {
        const share = shareOf(figures, name);
        return (
          share !== undefined && (
            <Line key={name} name={t(label)} hint={t(hint)} bars={[share]}>
              <dd>{formatPercent(share)}</dd>
            </Line>
          )
        );
      })}
      <Line name={t`Time of an answer`}>
        <dd>{figures.durationMs === undefined ? "–" : formatDuration(Number(figures.durationMs))}</dd>
      </Line>
      <Line name={t`Tokens`}>
        <dd>{formatNumber(tokens)}</dd>
      </Line>
      <Line name={t`Cost`}>
        <dd>{formatCost(Number(figures.cost ?? 0))}</dd>
      </Line>
      {judgeTokens > 0 && (
        <Line name={t`Judge`}>
          <dd>
            <Trans>
              {formatNumber(judgeTokens)} tokens, {formatCost(Number(figures.judgeCost ?? 0))}
            </Trans>
          </dd>
        </Line>
      )}
    </dl>
  );
}

/** The figures of two evaluations, and what has changed from the first to the second. */
export function ComparedFigures({ first, second }: { first: EvaluationRunJson; second: EvaluationRunJson }) {
  const { t } = useLingui();
  const [a, b] = [first.figures ?? {}, second.figures ?? {}];
  const durations = [Number(a.durationMs ?? 0), Number(b.durationMs ?? 0)] as const;
  const costs = [Number(a.cost ?? 0), Number(b.cost ?? 0)] as const;
  return (
    <dl className={classes(styles.figures, styles.compared)} aria-label={t`Figures`}>
      {SHARES.map(({ name, label, hint }) => {
        const shares = [shareOf(a, name), shareOf(b, name)] as const;
        if (shares[0] === undefined && shares[1] === undefined) return null;
        return (
          <Line key={name} name={t(label)} hint={t(hint)} bars={shares}>
            <dd>
              {percent(shares[0])} → {percent(shares[1])}
            </dd>
            <Change from={shares[0]} to={shares[1]} format={(change) => t`${(100 * change).toFixed(1)} points`} />
          </Line>
        );
      })}
      <Line name={t`Time of an answer`} bars={relative(durations)}>
        <dd>
          {formatDuration(durations[0])} → {formatDuration(durations[1])}
        </dd>
        <Change from={-durations[0]} to={-durations[1]} format={(change) => formatDuration(Math.abs(change))} />
      </Line>
      {Math.max(...costs) > 0 && (
        <Line name={t`Cost`} bars={relative(costs)}>
          <dd>
            {formatCost(costs[0])} → {formatCost(costs[1])}
          </dd>
          <Change from={-costs[0]} to={-costs[1]} format={(change) => formatCost(Math.abs(change))} />
        </Line>
      )}
    </dl>
  );
}

interface LineProps {
  name: string;
  hint?: string;
  /** Lengths of bars, 0 to 1: one, or that of before and after. */
  bars?: readonly (number | undefined)[];
  children: ReactNode;
}

function Line({ name, hint, bars = [], children }: LineProps) {
  return (
    <>
      <dt title={hint}>{name}</dt>
      <div className={styles.track} aria-hidden>
        {bars.map((length, index) => (
          <div key={index} className={classes(styles.bar, bars.length > 1 && index === 0 && styles.before)}>
            <span style={{ width: `${100 * (length ?? 0)}%` }} />
          </div>
        ))}
      </div>
      {children}
    </>
  );
}

/** A change of a value of which more is better. */
function Change({ from, to, format }: { from: number | undefined; to: number | undefined; format: (change: number) => string }) {
  if (from === undefined || to === undefined || from === to) return <dd>{from === to ? "=" : ""}</dd>;
  const isBetter = to > from;
  return (
    <dd className={isBetter ? styles.better : styles.worse}>
      {isBetter ? "▲" : "▼"} {format(to - from)}
    </dd>
  );
}

function percent(share: number | undefined): string {
  return share === undefined ? "–" : formatPercent(share);
}

function relative([first, second]: readonly [number, number]): readonly number[] {
  const highest = Math.max(first, second) || 1;
  return [first / highest, second / highest];
}
