import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight } from "lucide-react";
import { assistantVersionsQuery, useRestoreVersion } from "@/data/assistants";
import type { AssistantJson, AssistantVersionJson } from "@/gen/echomind/public/v1/assistant_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { ShowMore } from "@/ui/ShowMore";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import { Difference } from "./Difference";
import { nameOf } from "./fields";
import styles from "./VersionsTab.module.css";

interface VersionsTabProps {
  id: number;
  /** The version that is open; 0 for none. */
  open: number;
  onOpen: (version: number) => void;
  /** Whether the form has changes, which restoring would discard. */
  isDirty: boolean;
  onRestored: (assistant: AssistantJson) => void;
}

/** The versions of an assistant, with restore. */
export function VersionsTab({ id, open, onOpen, isDirty, onRestored }: VersionsTabProps) {
  const { t } = useLingui();
  const pages = useInfiniteQuery(assistantVersionsQuery(id));
  const { data, error, refetch } = pages;
  const restoring = useRestoreVersion();
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!data) return <Spinner label={t`Loading the versions`} />;
  const versions = data.pages.flatMap((page) => page.versions ?? []);
  const current = versions[0]?.version ?? 0;
  const restore = (version: number, then: (assistant: AssistantJson) => void) =>
    restoring.mutate({ id, version }, { onSuccess: then, onError: showFailure });
  const onRestore = (version: number) =>
    restore(version, (restored) => {
      onRestored(restored);
      showToast({
        message: t`Version ${version} is restored.`,
        action: { label: t`Undo`, run: () => restore(current, onRestored) },
      });
    });
  return (
    <div className={styles.versions}>
      <p className={styles.about}>{t`Each change is saved as a version. Restoring one creates a new version, so it can be undone.`}</p>
      <ol className={styles.list} aria-label={t`Versions`}>
        {versions.map((version) => {
          const number = version.version ?? 0;
          return (
            <li key={number} className={styles.version}>
              <button
                type="button"
                className={styles.head}
                aria-expanded={number === open}
                onClick={() => onOpen(number === open ? 0 : number)}
              >
                <span className={styles.name}>
                  {number === open ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
                  {t`Version ${number}`}
                  {number === current && <Badge tone="accent">{t`Current`}</Badge>}
                </span>
                <span className={styles.facts}>
                  {[formatTimestamp(version.creationDate), version.createdByName].filter(Boolean).join(" · ")}
                </span>
                <span className={styles.changes}>
                  <ChangedFields version={version} />
                </span>
              </button>
              {number === open && (
                <Difference
                  id={id}
                  version={number}
                  current={current}
                  actions={
                    number !== current && (
                      <>
                        <Button size="sm" disabled={isDirty || restoring.isPending} onClick={() => onRestore(number)}>
                          {restoring.isPending && <Spinner />}
                          <Trans>Restore this version</Trans>
                        </Button>
                        {isDirty && <span className={styles.about}>{t`Save or discard your changes first.`}</span>}
                      </>
                    )
                  }
                />
              )}
            </li>
          );
        })}
      </ol>
      <ShowMore of={pages} />
    </div>
  );
}

function ChangedFields({ version }: { version: AssistantVersionJson }) {
  const { t, i18n } = useLingui();
  const { version: number, restoredVersion = 0, changedFields = [] } = version;
  if (restoredVersion) return t`Restored version ${restoredVersion}`;
  if (changedFields.length === 0) return number === 1 ? t`Created` : t`Nothing changed`;
  return [...new Set(changedFields.map((field) => nameOf(field, i18n)))].join(", ");
}
