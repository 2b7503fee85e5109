import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { useImport, type Report } from "./use-import";
import styles from "./ImportPage.module.css";

/** Failures that are listed; a file of another program may have thousands. */
const LISTED = 50;

/** Imports conversations that the user has in other programs. */
export function ImportPage() {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const { report, start } = useImport();
  const isRunning = report !== undefined && !report.isOver;
  return (
    <Page title={t`Import`} section={t`Settings`} description={t`Brings your conversations from other programs, with their branches and times.`}>
      <dl className={styles.programs}>
        <dt>ChatGPT</dt>
        <dd>{t`Settings › Data controls › Export data. Unpack the archive and choose its conversations.json.`}</dd>
        <dt>Open WebUI</dt>
        <dd>{t`Settings › Data › Export chats, or Download › Export chat (.json) of one conversation.`}</dd>
        <dt>LibreChat</dt>
        <dd>{t`Share › Export of a conversation, with the type JSON.`}</dd>
        <dt>Onyx</dt>
        <dd>{t`The CSV file of the query history.`}</dd>
        <dt>AnythingLLM</dt>
        <dd>{t`Workspace chats › Export, as CSV, JSON or JSON lines.`}</dd>
        <dt>{t`Traces of agents`}</dt>
        <dd>{t`SQLite databases are imported by the command line: echomind import traces FILE.db`}</dd>
      </dl>
      <input
        ref={input}
        type="file"
        accept=".json,.jsonl,.csv,application/json,text/csv"
        multiple
        hidden
        aria-label={t`Exported files`}
        onChange={(event) => {
          void start([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <div>
        <Button variant="primary" disabled={isRunning} onClick={() => input.current?.click()}>
          <Trans>Choose files</Trans>
        </Button>
      </div>
      <p className={styles.note}>
        <Trans>What you imported before is left as it is. Nothing is learned from imported conversations, as anybody may have made the file.</Trans>
      </p>
      {report && <ReportView report={report} />}
    </Page>
  );
}

function ReportView({ report: { total, created, known, omittedParts, ratings, omittedRatings, mergedSteps, failures, isOver } }: { report: Report }) {
  const { t } = useLingui();
  const section = useRef<HTMLElement>(null);
  // On a phone it begins below the fold, and nobody would see what came of the files.
  useEffect(() => {
    section.current?.scrollIntoView({ block: "nearest" });
  }, [isOver]);
  const done = created + known + failures.length;
  return (
    <section ref={section} className={styles.report} aria-label={t`Report`} aria-live="polite">
      {!isOver && (
        <>
          <progress className={styles.progress} value={done} max={Math.max(total, 1)} aria-label={t`Progress of the import`} />
          <p>
            <Trans>
              {done} of {total}
            </Trans>
          </p>
        </>
      )}
      {isOver && (
        <Notice tone={failures.length > 0 ? "warn" : "info"}>
          <Plural value={created} one="# conversation imported." other="# conversations imported." />{" "}
          {known > 0 && <Plural value={known} one="# was imported before." other="# were imported before." />}{" "}
          {omittedParts > 0 && (
            <Plural value={omittedParts} one="# part that is not text was left out." other="# parts that are not text were left out: pictures, files, calls of tools." />
          )}{" "}
          {ratings > 0 && <Plural value={ratings} one="# rating of an answer is yours now." other="# ratings of answers are yours now." />}{" "}
          {omittedRatings > 0 && (
            <Plural
              value={omittedRatings}
              one="# rating was left out: somebody else gave it, or it is neither helpful nor unhelpful."
              other="# ratings were left out: others gave them, or they are neither helpful nor unhelpful."
            />
          )}{" "}
          {mergedSteps > 0 && <Plural value={mergedSteps} one="# step is in the last step of its run." other="# steps are together in the last steps of their runs." />}{" "}
          <Link href="/chats">{t`Show conversations`}</Link>
        </Notice>
      )}
      {failures.length > 0 && (
        <>
          <h2 className={styles.heading}>
            <Plural value={failures.length} one="# could not be imported" other="# could not be imported" />
          </h2>
          <ul className={styles.failures}>
            {failures.slice(0, LISTED).map(({ title, reason }, index) => (
              <li key={index}>
                <strong>{title}</strong>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
