import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Check, X } from "lucide-react";
import { Link } from "wouter";
import { setupQuery, useUpdateSetup } from "@/data/setup";
import { IconButton } from "@/ui/Button";
import { showToast } from "@/ui/toasts";
import { isDone, stepsOf } from "./step-list";
import styles from "./SetupChecklist.module.css";

/** The first steps that are left, until all are done or the reader hides them. */
export function SetupChecklist() {
  const { t } = useLingui();
  const { data: setup } = useQuery(setupQuery);
  const update = useUpdateSetup();
  if (!setup || setup.isHidden) return null;
  const steps = stepsOf(setup);
  const left = steps.filter((step) => !isDone(step));
  // If only the first question is left, the user is already on the right page.
  if (left.every(({ kind }) => kind === "SETUP_STEP_KIND_QUESTION")) return null;
  const hide = () => {
    update.mutate({ isHidden: true });
    showToast({ message: t`The setup steps are hidden.`, action: { label: t`Undo`, run: () => update.mutate({ isHidden: false }) } });
  };
  return (
    <section className={styles.checklist} aria-labelledby="setup-checklist">
      <header>
        <h3 id="setup-checklist">
          <Trans>
            Finish setting up: {steps.length - left.length} of {steps.length} done
          </Trans>
        </h3>
        <IconButton label={t`Hide the setup steps`} onClick={hide}>
          <X size={16} />
        </IconButton>
      </header>
      <ul>
        {steps.map((step) => (
          <li key={step.slug} data-done={isDone(step) || undefined}>
            {isDone(step) ? (
              <span>
                <Check size={15} aria-label={t`Done:`} /> {t(step.label)}
              </span>
            ) : (
              <Link href={`/setup/${step.slug}`}>
                <ArrowRight size={15} aria-hidden /> {t(step.label)}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
