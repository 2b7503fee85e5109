import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useState } from "react";
import { useLocation } from "wouter";
import { BASE_PATH } from "./base-path";
import { ConfirmDialog } from "./ConfirmDialog";

/** Asks before a navigation away from a form with unsaved changes. */
export function UnsavedDialog({ isDirty }: { isDirty: boolean }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();
  // Before the page shows that it is saved: a click that comes at once is not asked about.
  useLayoutEffect(() => {
    if (!isDirty) return undefined;
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>("a[href]");
      const opensHere = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      if (!link || !opensHere || link.target || link.origin !== location.origin || link.pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(link.pathname.slice(BASE_PATH.length) + link.search);
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, [isDirty]);
  if (target === undefined) return null;
  return (
    <ConfirmDialog
      title={t`Leave without saving?`}
      text={t`Your changes on this page are lost.`}
      action={t`Leave`}
      onConfirm={() => {
        navigate(target);
        return Promise.resolve();
      }}
      onClose={() => setTarget(undefined)}
    />
  );
}
