import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { notebooksQuery } from "@/data/notebooks";
import { Button } from "@/ui/Button";
import { FilterTabs } from "@/ui/filters";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { oneOf, useSearchState } from "@/ui/search-state";
import { NotebookDialog } from "./parts/NotebookDialog";
import { NotebookRows } from "./parts/NotebookRows";

const VIEW = { view: oneOf(["active", "removed"], "active") };

/** The user's notebooks; each has its own page. */
export function NotebooksPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [{ view }, setSearch] = useSearchState(VIEW);
  const isRemoved = view === "removed";
  const { data: notebooks, error, refetch } = useQuery(notebooksQuery(isRemoved));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t`Notebooks`}
      description={t`Shared sources to ask together. Answers use only the notebook's sources that each person can read.`}
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
      <QueryView error={error} onRetry={refetch} isPending={!notebooks} label={t`Loading notebooks`} />
      {notebooks && (
        <NotebookRows
          notebooks={notebooks}
          isRemoved={isRemoved}
          whenEmpty={isRemoved ? t`No notebook was removed in the last 30 days.` : t`There is no notebook yet. Create one, add sources, and ask.`}
        />
      )}
      {isCreating && <NotebookDialog onSaved={({ id = "" }) => navigate(`/notebooks/${id}`)} onClose={() => setCreating(false)} />}
    </Page>
  );
}
