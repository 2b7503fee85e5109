import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import type { ComponentType } from "react";
import { Link, Redirect, useLocation } from "wouter";
import { setupQuery, useUpdateSetup } from "@/data/setup";
import type { SetupJson, SetupStepKindJson } from "@/gen/echomind/public/v1/setup_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Logo } from "@/ui/Logo";
import { Spinner } from "@/ui/Spinner";
import { isDone, stepsOf } from "./step-list";
import { DocumentsStep } from "./steps/DocumentsStep";
import { ModelStep } from "./steps/ModelStep";
import { PasswordStep } from "./steps/PasswordStep";
import { ProfileStep } from "./steps/ProfileStep";
import { QuestionStep } from "./steps/QuestionStep";
import type { StepProps } from "./steps/step-props";
import styles from "./SetupPage.module.css";

const CONTENT: Partial<Record<SetupStepKindJson, ComponentType<StepProps>>> = {
  SETUP_STEP_KIND_PROFILE: ProfileStep,
  SETUP_STEP_KIND_PASSWORD: PasswordStep,
  SETUP_STEP_KIND_MODEL: ModelStep,
  SETUP_STEP_KIND_DOCUMENTS: DocumentsStep,
  SETUP_STEP_KIND_QUESTION: QuestionStep,
};

/** The first run: one step after the other, each of which can be left for later. */
export function SetupPage({ step }: { step: string | undefined }) {
  const { t } = useLingui();
  const { data: setup, error, refetch } = useQuery(setupQuery);
  if (setup) return <Steps setup={setup} slug={step} />;
  return <main className={styles.page}>{error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading`} />}</main>;
}

function Steps({ setup, slug }: { setup: SetupJson; slug: string | undefined }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const update = useUpdateSetup();
  const steps = stepsOf(setup);
  const index = steps.findIndex((one) => one.slug === slug);
  const current = steps[index];
  if (!current) {
    const first = steps.find((one) => !isDone(one));
    return <Redirect to={first ? `/setup/${first.slug}` : "/"} replace />;
  }
  const Content = CONTENT[current.kind];
  const goOn = () => {
    const next = steps[index + 1];
    navigate(next ? `/setup/${next.slug}` : "/");
  };
  const skip = (kinds: SetupStepKindJson[]) => update.mutateAsync({ skipped: [...new Set([...(setup.skipped ?? []), ...kinds])] });
  const left = steps.filter((one) => !isDone(one)).map(({ kind }) => kind);
  const skipThis = async () => {
    await skip([current.kind]);
    goOn();
  };
  const skipAll = async () => {
    if (left.length > 0) await skip(left);
    navigate("/");
  };
  return (
    <main className={styles.page}>
      <title>{`${t(current.label)} · ${t`Setup`} · EchoMind`}</title>
      <div className={styles.card}>
        <header className={styles.header}>
          <Logo />
          <p>
            <Trans>
              Step {index + 1} of {steps.length}
            </Trans>
          </p>
        </header>
        <nav aria-label={t`Steps`}>
          <ol className={styles.steps}>
            {steps.map((one) => (
              <li key={one.slug}>
                <Link href={`/setup/${one.slug}`} aria-current={one === current ? "step" : undefined} data-done={isDone(one) || undefined}>
                  {isDone(one) && <Check size={14} aria-label={t`Done:`} />}
                  {t(one.label)}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
        <h1 className={styles.title}>{t(current.label)}</h1>
        {Content && <Content key={current.kind} isDone={isDone(current)} onDone={goOn} />}
        {update.error && <LoadFailure error={update.error} onRetry={() => update.reset()} />}
        <footer className={styles.footer}>
          {!isDone(current) && (
            <Button variant="ghost" onClick={() => void skipThis()} disabled={update.isPending}>
              <Trans>Skip for now</Trans>
            </Button>
          )}
          <Button variant="ghost" className={styles.end} onClick={() => void skipAll()} disabled={update.isPending}>
            {left.length > 0 ? <Trans>Skip setup</Trans> : <Trans>Finish</Trans>}
          </Button>
        </footer>
      </div>
    </main>
  );
}
