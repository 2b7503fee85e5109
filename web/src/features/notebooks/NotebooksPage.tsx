import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { notebooksQuery, useNotebookEnd } from "@/data/notebooks";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FilterTabs } from "@/ui/filters";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Row, Rows } from "@/ui/Rows";
import { oneOf, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import { NotebookDialog } from "./parts/NotebookDialog";
import { roleLabel } from "./parts/roles";
import styles from "./notebooks.module.css";

const VIEW = { view: oneOf(["active", "removed"], "active") };

/** The reader's notebooks; each has a page of its own. */
export function NotebooksPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [{ view }, setSearch] = useSearchState(VIEW);
  const isRemoved = view === "removed";
  const { data: notebooks, error, refetch } = useQuery(notebooksQuery(isRemoved));
  const [isCreating, setCreating] = useState(false);
  const [purged, setPurged] = useState<{ id: string; title: string }>();
  const end = useNotebookEnd();
  const restore = (id: string, title: string) =>
    end.mutate({ id, end: "restore" }, { onError: showFailure, onSuccess: () => showToast({ message: t`Brought ${title} back.` }) });
  return (
    <Page
      title={t`Notebooks`}
      description={t`Sources that several people ask together. Answers come from a notebook's sources alone, and from what each person may read.`}
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus size={16} /> <Trans>New notebook</Trans>
        </Button>
      }
    >
      <FilterTabs
        label={t`Which notebooks`}
        value={view}
        options={[
          { value: "active", label: t`Notebooks` },
          { value: "removed", label: t`Removed` },
        ]}
        onChange={(value) => setSearch({ view: value })}
      />
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!notebooks && !error && <Spinner label={t`Loading notebooks`} />}
      {notebooks && (
        <Rows
          label={t`Notebooks`}
          whenEmpty={isRemoved ? t`No notebook was removed in the last 30 days.` : t`There is no notebook yet. Create one, add sources, and ask.`}
        >
          {notebooks.map(({ id = "", title = "", description, role, sourceCount = 0, memberCount = 0, sessionCount = 0, deletedDate }) => (
            <Row
              key={id}
              name={title}
              href={isRemoved ? undefined : `/notebooks/${id}`}
              badges={role && role !== "NOTEBOOK_ROLE_OWNER" && <Badge tone="neutral">{t(roleLabel(role))}</Badge>}
              facts={[
                description,
                plural(sourceCount, { one: "# source", other: "# sources" }),
                plural(sessionCount, { one: "# conversation", other: "# conversations" }),
                memberCount > 1 && plural(memberCount, { one: "# member", other: "# members" }),
                deletedDate && t`removed ${formatMoment(deletedDate)}`,
              ]}
              actions={
                isRemoved && (
                  <div className={styles.actions}>
                    <Button size="sm" onClick={() => restore(id, title)}>
                      <Trans>Restore</Trans>
                    </Button>
                    <Button size="sm" onClick={() => setPurged({ id, title })}>
                      <Trans>Delete for good</Trans>
                    </Button>
                  </div>
                )
              }
            />
          ))}
        </Rows>
      )}
      {isCreating && <NotebookDialog onSaved={({ id = "" }) => navigate(`/notebooks/${id}`)} onClose={() => setCreating(false)} />}
      {purged && (
        <ConfirmDialog
          title={t`Delete ${purged.title} for good?`}
          text={t`All its conversations are deleted, those of other members too. Documents stay. This cannot be undone.`}
          action={t`Delete for good`}
          onConfirm={() => end.mutateAsync({ id: purged.id, end: "purge" })}
          onClose={() => setPurged(undefined)}
        />
      )}
    </Page>
  );
}
