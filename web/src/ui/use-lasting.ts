import { useEffect, useState } from "react";

/** Whether a condition has been true without interruption for a time; restarts when `on` changes. */
export function useLasting(holds: boolean, ms: number, on: unknown = holds): boolean {
  const [lasting, setLasting] = useState<{ on: unknown; holds: boolean }>();
  useEffect(() => {
    if (!holds) return undefined;
    const timer = setTimeout(() => setLasting({ on, holds }), ms);
    return () => clearTimeout(timer);
  }, [holds, ms, on]);
  return holds && lasting?.holds === true && lasting.on === on;
}
