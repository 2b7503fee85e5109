import { useLingui } from "@lingui/react/macro";
import { useState, type KeyboardEvent, type PointerEvent } from "react";
import styles from "./view.module.css";

const KEY = "echomind.source-panel";
const LEAST = 20;
const LIMIT = 60;
const STEP = 2;

const bounded = (width: number) => Math.max(LEAST, Math.min(LIMIT, Math.round(width)));

/** The width of the panel in rem, kept while the browser is open. */
export function usePanelWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => bounded(Number(sessionStorage.getItem(KEY)) || 30));
  return [
    width,
    (next) => {
      setWidth(bounded(next));
      sessionStorage.setItem(KEY, String(bounded(next)));
    },
  ];
}

/** The edge of the panel, which the pointer or the arrow keys move. */
export function PanelEdge({ width, onChange }: { width: number; onChange: (width: number) => void }) {
  const { t } = useLingui();
  const onPointerMove = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    onChange((window.innerWidth - event.clientX) / rem);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const change = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (change === undefined) return;
    event.preventDefault();
    onChange(width + change);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a movable separator is a widget
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t`Width of the source`}
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={LIMIT}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
      tabIndex={0}
      className={styles.edge}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    />
  );
}
