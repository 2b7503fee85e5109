import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { allNotebooksQuery } from "@/data/notebooks";
import { FilterTabs, SearchBox } from "@/ui/filters";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { ShowMore } from "@/ui/ShowMore";
import { NotebookRows } from "./parts/NotebookRows";

const VIEW = { query: text(), view: oneOf(["active", "removed"], "active") };

/** Everybody's notebooks with their owners and removal, for superadmins. */
export function AllNotebooksPage() {
  const { t } = useLingui();
  const [{ query, view }, setSearch] = useSearchState(VIEW);
  const isRemoved = view === "removed";
  const listed = useInfiniteQuery(allNotebooksQuery(query, isRemoved));
  const nothing = isRemoved ? t`No notebook was removed in the last 30 days.` : t`No notebooks yet.`;
  return (
    <Page
      title={t`Notebooks`}
      section={t`Administration`}
      description={t`Everybody's notebooks. Reading this list is noted in the audit log.`}
    >
      <SearchBox label={t`Search notebooks`} value={query} onChange={(next) => setSearch({ query: next })} />
      <FilterTabs
        label={t`Which notebooks`}
        value={view}
        options={[
          { value: "active", label: t`Notebooks` },
          { value: "removed", label: t`Removed` },
        ]}
        onChange={(next) => setSearch({ view: next })}
      />
      <QueryView error={listed.error} onRetry={listed.refetch} isPending={listed.isPending} label={t`Loading notebooks`} />
      {listed.data && (
        <NotebookRows
          notebooks={listed.data.pages.flatMap((page) => page.notebooks ?? [])}
          isRemoved={isRemoved}
          isEverybodys
          whenEmpty={query ? t`No notebook matches.` : nothing}
        />
      )}
      <ShowMore of={listed} />
    </Page>
  );
}
