import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { FolderPlus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useCreateCollection } from "@/data/collections";
import { connectorsQuery, useReaders } from "@/data/connectors";
import { documentCountsQuery, documentsQuery } from "@/data/documents";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { formatBytes } from "@/ui/format";
import { NarrowFold } from "@/ui/NarrowFold";
import { Page } from "@/ui/Page";
import { useSearchState } from "@/ui/search-state";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { NOTHING_SELECTED, useSelection } from "@/ui/table/selection";
import { SelectionBar } from "@/ui/table/SelectionBar";
import { CollectionDialog } from "./folders/CollectionDialog";
import { FolderTree } from "./folders/FolderTree";
import { BulkActions } from "./list/BulkActions";
import { useColumns } from "./list/columns";
import { CODECS, filterOf, fromSort, orderOf, toSort, type ListState } from "./list/filter";
import { FilterBar } from "./list/FilterBar";
import { nameOf } from "./list/labels";
import { UploadArea } from "./uploads/UploadArea";
import styles from "./DocumentsPage.module.css";

const idOf = ({ id = "" }: DocumentJson) => id;
const addressOf = (document: DocumentJson) => `/documents/${idOf(document)}`;

/** The documents: upload, search, filters, sorting and bulk changes. */
export function DocumentsPage() {
  const { t } = useLingui();
  const readersOf = useReaders();
  const [, navigate] = useLocation();
  const [state, setState] = useSearchState<ListState>(CODECS);
  const filter = filterOf(state);
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const documents = useInfiniteQuery(documentsQuery({ filter, ...orderOf(state) }));
  const { data: counts } = useQuery(documentCountsQuery(filter));
  const rows = documents.data?.pages.flatMap((page) => page.documents ?? []);
  const [selection, setSelection] = useSelection(JSON.stringify(filter));
  const columns = useColumns(connectors);
  const [createsCollection, setCreatesCollection] = useState(false);
  const create = useCreateCollection();
  const total = Number(counts?.total ?? 0);
  const isFiltered = Object.keys(filter).length > 0;
  const matching = plural(total, { one: "# document", other: "# documents" });
  const summary = counts?.totalEstimated ? t`About ${matching}` : matching;
  return (
    <Page
      title={t`Documents`}
      isWide
      description={t`Questions are answered from these. You see the documents that you may read.`}
      actions={
        <Button onClick={() => setCreatesCollection(true)}>
          <FolderPlus size={16} aria-hidden /> {t`New collection`}
        </Button>
      }
    >
      <NarrowFold label={t`Upload files`}>
        <UploadArea />
      </NarrowFold>
      <div className={styles.columns}>
        <details className={styles.side} open={!window.matchMedia("(max-width: 60rem)").matches}>
          <summary>{t`Collections and folders`}</summary>
          <FolderTree
            connectors={connectors}
            counts={counts?.connectors ?? []}
            place={state}
            onChoose={(place) => setState(place, "push")}
          />
        </details>
        <div className={styles.list}>
          <NarrowFold label={isFiltered ? t`Search and filters (in use)` : t`Search and filters`}>
            <FilterBar state={state} connectors={connectors} counts={counts} onChange={setState} />
          </NarrowFold>
          <p className={styles.total} role="status">
            {counts ? summary : ""}
          </p>
          <SelectionBar
            selection={selection}
            onSelect={setSelection}
            loaded={rows?.length ?? 0}
            matching={total}
            matchingLabel={matching}
          >
            <BulkActions selection={selection} filter={filter} matching={total} onDone={() => setSelection(NOTHING_SELECTED)} />
          </SelectionBar>
          <DataTable
            label={t`Documents`}
            columns={columns}
            rows={rows}
            idOf={idOf}
            nameOf={nameOf}
            total={counts?.totalEstimated ? undefined : total + 1}
            sort={toSort(state.sort)}
            onSort={(sort) => setState({ sort: fromSort(sort) })}
            selection={selection}
            onSelect={setSelection}
            onOpen={(document) => navigate(addressOf(document))}
            hrefOf={addressOf}
            summary={(document) =>
              [readersOf(connectors.find(({ id }) => id === document.connectorId)), formatBytes(Number(document.sizeBytes ?? 0))].join(" · ")
            }
            {...pagesOf(documents)}
            whenEmpty={isFiltered ? t`No documents match the filter.` : t`No documents yet. Upload some to ask about them.`}
          />
        </div>
      </div>
      {createsCollection && (
        <CollectionDialog
          title={t`New collection`}
          action={t`Create`}
          onSubmit={create.mutateAsync}
          onClose={() => setCreatesCollection(false)}
        />
      )}
    </Page>
  );
}
