import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { serverWords } from "@/api/error-words";
import { healthQuery } from "@/data/system";
import { hasRole, useCurrentUser } from "@/data/users";
import type { HealthStatusJson, SystemHealthJson } from "@/gen/echomind/public/v1/system_pb";
import { formatBytes, formatDuration, formatNumber, formatRelative, formatTimestamp } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import styles from "./HealthPage.module.css";

const OK = { label: msg`Works`, icon: CircleCheck, tone: styles.ok };
const STATUS: ByMember<HealthStatusJson, typeof OK> = {
  HEALTH_STATUS_OK: OK,
  HEALTH_STATUS_DEGRADED: { label: msg`Needs attention`, icon: TriangleAlert, tone: styles.degraded },
  HEALTH_STATUS_FAILED: { label: msg`Does not work`, icon: CircleAlert, tone: styles.failed },
};
const PARTS: Readonly<Record<string, { name: string; purpose: ReturnType<typeof msg> }>> = {
  postgres: { name: "PostgreSQL", purpose: msg`Stores all durable data` },
  nats: { name: "NATS", purpose: msg`Wakes workers, delivers live text` },
  qdrant: { name: "Qdrant", purpose: msg`Finds passages` },
  s3: { name: "S3", purpose: msg`Keeps files` },
  embedding: { name: "Embedding", purpose: msg`Turns texts into vectors` },
  proxy: { name: "Proxy", purpose: msg`Forwards requests of browsers` },
};
const QUEUES: Readonly<Record<string, ReturnType<typeof msg>>> = {
  runs: msg`Runs`,
  documents: msg`Documents`,
  jobs: msg`Background jobs`,
};
const SERVICES: Readonly<Record<string, ReturnType<typeof msg>>> = { agent: msg`Agent`, ingestor: msg`Ingestor` };

/** Health of all components, refreshed while the page is open. */
export function HealthPage() {
  const { t } = useLingui();
  const { data: health, error, refetch } = useQuery(healthQuery);
  return (
    <Page title={t`Health`} section={t`Administration`} description={t`The servers, workers and queues of this installation.`}>
      <QueryView error={error} onRetry={refetch} isPending={!health} label={t`Loading`} />
      {health && <Health health={health} />}
    </Page>
  );
}

function Health({ health }: { health: SystemHealthJson }) {
  const { t } = useLingui();
  const { parts = [], workers = [], queues = [], mcpServers = [], disk, version, schemaRevision, checkedAt } = health;
  const isManager = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  // If the database does not respond, the other states are unknown, and its own row shows the problem.
  const isStateKnown = Boolean(schemaRevision);
  return (
    <>
      <p className={styles.overall} role="status">
        <Status status={health.status} />
        <span>
          {isStateKnown ? (
            <Trans>
              EchoMind {version}, schema {schemaRevision}, checked {formatTimestamp(checkedAt)}
            </Trans>
          ) : (
            <Trans>
              EchoMind {version}, checked {formatTimestamp(checkedAt)}
            </Trans>
          )}
        </span>
      </p>
      <Table label={t`Servers`} headers={[t`Server`, t`State`, t`Version`, t`Answered in`]}>
        {parts.map(({ name = "", status, version: its, latencyMs, message }) => (
          <tr key={name}>
            <th scope="row">
              {PARTS[name]?.name ?? name}
              <small>{serverWords(message) || (PARTS[name] && t(PARTS[name].purpose))}</small>
            </th>
            <td>
              <Status status={status} />
            </td>
            <td>{its || "–"}</td>
            <td>{status === "HEALTH_STATUS_OK" ? formatDuration(Number(latencyMs ?? 0)) : "–"}</td>
          </tr>
        ))}
      </Table>
      {isStateKnown && (
        <>
          <Table label={t`Workers`} headers={[t`Worker`, t`State`, t`Runs since`, t`Last heartbeat`]}>
            {workers.map(({ id, service = "", host, status, startedAt, heartbeatAt }) => (
              <tr key={id}>
                <th scope="row">
                  {SERVICES[service] ? t(SERVICES[service]) : service}
                  <small>{host}</small>
                </th>
                <td>
                  <Status status={status} />
                </td>
                <td title={formatTimestamp(startedAt)}>{formatRelative(startedAt)}</td>
                <td title={formatTimestamp(heartbeatAt)}>{formatRelative(heartbeatAt)}</td>
              </tr>
            ))}
            {workers.length === 0 && (
              <tr>
                <td colSpan={4}>
                  <Trans>No worker runs: questions are not answered and documents are not processed.</Trans>
                </td>
              </tr>
            )}
          </Table>
          <Table label={t`Queues`} headers={[t({ message: `Queue`, context: "noun" }), t`State`, t`Waiting`, t`In progress`, t`Failed`]}>
            {queues.map(({ name = "", status, waiting, running, failed, oldestWaitingSince }) => (
              <tr key={name}>
                <th scope="row">
                  {QUEUES[name] ? t(QUEUES[name]) : name}
                  {oldestWaitingSince && (
                    <small>
                      <Trans>Oldest: {formatRelative(oldestWaitingSince)}</Trans>
                    </small>
                  )}
                  {name === "jobs" && Number(failed ?? 0) > 0 && isManager && (
                    <small>
                      <Link href="/admin/dead-letters">
                        <Plural value={Number(failed)} one="# job failed permanently" other="# jobs failed permanently" />
                      </Link>
                    </small>
                  )}
                  {name === "documents" && Number(failed ?? 0) > 0 && (
                    <small>
                      <Link href="/documents?status=failed">
                        <Plural value={Number(failed)} one="# document could not be read" other="# documents could not be read" />
                      </Link>
                    </small>
                  )}
                </th>
                <td>
                  <Status status={status} />
                </td>
                <td>{formatNumber(Number(waiting ?? 0))}</td>
                <td>{formatNumber(Number(running ?? 0))}</td>
                <td>{formatNumber(Number(failed ?? 0))}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {mcpServers.length > 0 && (
        <Table label={t`MCP servers`} headers={[t`Server`, t`State`, t`Last reached`, t`Last error`]}>
          {mcpServers.map(({ assistantId = 0, assistantName, server, status, reachedAt, failedAt, lastError }) => (
            <tr key={`${assistantId} ${server ?? ""}`}>
              <th scope="row">
                {server}
                <small>{assistantName}</small>
              </th>
              <td>
                <Status status={status} />
              </td>
              <td title={formatTimestamp(reachedAt)}>{formatRelative(reachedAt) || "–"}</td>
              <td title={formatTimestamp(failedAt)}>
                {formatRelative(failedAt) || "–"}
                {lastError && <small>{serverWords(lastError)}</small>}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {disk && (
        <Table label={t`Disk`} headers={[t`Folder`, t`State`, t`Free`, t`Size`, t`Kept free`]}>
          <tr>
            <th scope="row">{disk.folder}</th>
            <td>
              <Status status={disk.status} />
            </td>
            <td>{formatBytes(Number(disk.freeBytes ?? 0))}</td>
            <td>{formatBytes(Number(disk.totalBytes ?? 0))}</td>
            <td>{formatBytes(Number(disk.reserveBytes ?? 0))}</td>
          </tr>
        </Table>
      )}
    </>
  );
}

function Table({ label, headers, children }: { label: string; headers: readonly string[]; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{label}</h2>
      {/* It scrolls where there is little room, so keys must reach it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles.scroller} role="region" aria-label={label} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              {headers.map((header) => (
                <th key={header} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}

function Status({ status }: { status: HealthStatusJson | undefined }) {
  const { t } = useLingui();
  const { label, icon: Icon, tone } = ofMember(STATUS, status) ?? OK;
  return (
    <span className={`${styles.status ?? ""} ${tone ?? ""}`}>
      <Icon size={16} aria-hidden /> {t(label)}
    </span>
  );
}
