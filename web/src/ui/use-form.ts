/** The values of a form that edits something stored: what was changed, and a question before changes are lost. */
import { useEffect, useState } from "react";

/** The values of a form, how to set some of them, and whether they differ from those that it began with. */
export function useForm<Values extends object>(stored: Values) {
  const [saved, setSaved] = useState(stored);
  const [values, setValues] = useState(stored);
  const isDirty = JSON.stringify(values) !== JSON.stringify(saved);
  useUnsavedGuard(isDirty);
  return {
    values,
    isDirty,
    set: (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes })),
    /** Discards changes. */
    reset: () => setValues(saved),
    /** The stored value, after it was saved. */
    saved: (now: Values) => {
      setSaved(now);
      setValues(now);
    },
  };
}

/** While there is something unsaved, the browser asks before the page is left or reloaded. */
function useUnsavedGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", onUnload);
    return () => removeEventListener("beforeunload", onUnload);
  }, [isDirty]);
}
