import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { hasRole, useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { CheckField, TextField } from "@/ui/Field";
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
  const isSuperadmin = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [isForPeople, setForPeople] = useState(false);
  const [people, setPeople] = useState<File>();
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
          void start([...(event.target.files ?? [])], isForPeople ? { people } : "caller");
          event.target.value = "";
        }}
      />
      {isSuperadmin && (
        <div className={styles.people}>
          <CheckField
            label={t`For the people of the other program`}
            hint={t`Each conversation goes to the person whose verified e-mail address it has, who alone can see it then. What belongs to nobody here is in the report.`}
            checked={isForPeople}
            disabled={isRunning}
            onChange={setForPeople}
          />
          {isForPeople && (
            <TextField
              type="file"
              accept=".csv,text/csv"
              label={t`Addresses of these people (CSV), if the conversations have none`}
              hint={t`With the columns email and id or username. Exports of Open WebUI have ids, those of AnythingLLM user names.`}
              disabled={isRunning}
              onChange={(event) => setPeople(event.target.files?.[0])}
            />
          )}
        </div>
      )}
      <div>
        <Button variant="primary" disabled={isRunning} onClick={() => input.current?.click()}>
          <Trans>Choose files</Trans>
        </Button>
      </div>
      <p className={styles.note}>
        <Trans>What you imported before is left as it is. Nothing is learned from imported conversations, as anybody may have made the file.</Trans>
      </p>
      {report && <ReportView report={report} isForPeople={isForPeople} />}
    </Page>
  );
}

function ReportView({ report, isForPeople }: { report: Report; isForPeople: boolean }) {
  const { total, created, known, omittedParts, ratings, omittedRatings, mergedSteps, failures, unmatched, isOver } = report;
  const { t } = useLingui();
  const section = useRef<HTMLElement>(null);
  // On a phone it begins below the fold, and nobody would see what came of the files.
  useEffect(() => {
    section.current?.scrollIntoView({ block: "nearest" });
  }, [isOver]);
  const left = unmatched.reduce((sum, { conversations }) => sum + conversations, 0);
  const done = created + known + failures.length + left;
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
        <Notice tone={failures.length + left > 0 ? "warn" : "info"}>
          <Plural value={created} one="# conversation imported." other="# conversations imported." />{" "}
          {known > 0 && <Plural value={known} one="# was imported before." other="# were imported before." />}{" "}
          {omittedParts > 0 && (
            <Plural value={omittedParts} one="# part that is not text was left out." other="# parts that are not text were left out: pictures, files, calls of tools." />
          )}{" "}
          {ratings > 0 &&
            (isForPeople ? (
              <Plural value={ratings} one="# rating of an answer is its person's now." other="# ratings of answers are their people's now." />
            ) : (
              <Plural value={ratings} one="# rating of an answer is yours now." other="# ratings of answers are yours now." />
            ))}{" "}
          {omittedRatings > 0 && (
            <Plural
              value={omittedRatings}
              one="# rating was left out: somebody else gave it, or it is neither helpful nor unhelpful."
              other="# ratings were left out: others gave them, or they are neither helpful nor unhelpful."
            />
          )}{" "}
          {mergedSteps > 0 && <Plural value={mergedSteps} one="# step is in the last step of its run." other="# steps are together in the last steps of their runs." />}{" "}
          {!isForPeople && <Link href="/chats">{t`Show conversations`}</Link>}
        </Notice>
      )}
      {left > 0 && (
        <>
          <h2 className={styles.heading}>
            <Plural value={left} one="# belongs to nobody here" other="# belong to nobody here" />
          </h2>
          <ul className={styles.failures}>
            {unmatched.slice(0, LISTED).map(({ name, email, conversations }) => (
              <li key={`${name} ${email}`}>
                <strong>{name || t`No person`}</strong>
                {email && email !== name && ` (${email})`}: <Plural value={conversations} one="# conversation" other="# conversations" />.{" "}
                {email ? t`No active account has this address, verified.` : name ? t`The address is not known: choose a file of addresses.` : t`The file names nobody.`}
              </li>
            ))}
          </ul>
        </>
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
