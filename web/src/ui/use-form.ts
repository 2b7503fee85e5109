/** Form state for editing stored values, with a warning before unsaved changes are lost. */
import { useEffect, useState } from "react";

/** The values of a form, a setter for some of them, and whether they differ from the stored ones. */
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

/** Makes the browser ask before the page is left or reloaded with unsaved changes. */
function useUnsavedGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", onUnload);
    return () => removeEventListener("beforeunload", onUnload);
  }, [isDirty]);
}
