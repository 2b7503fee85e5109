import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useState } from "react";
import { connectorsQuery } from "@/data/connectors";
import { searchQuery } from "@/data/search";
import { SourcePanel } from "@/features/documents/SourcePanel";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SearchHitJson } from "@/gen/echomind/public/v1/search_pb";
import { FilterSelect, FilterTabs, SearchBox } from "@/ui/filters";
import { formatMoment, formatPercent, formatTimestamp } from "@/ui/format";
import { Highlighted } from "@/ui/Highlighted";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { AGES, createdFrom, KINDS, MODES, requestOf } from "./request";
import styles from "./SearchPage.module.css";

const STATE = {
  q: text(),
  mode: oneOf(["hybrid", "dense", "lexical"], "hybrid"),
  type: oneOf(["any", "pdf", "office", "text", "web", "mail"], "any"),
  source: text(),
  age: oneOf(["any", "week", "month", "year"], "any"),
};

/** Finds passages without a model, and shows them in their documents. */
export function SearchPage() {
  const { t } = useLingui();
  const [state, setState] = useSearchState(STATE);
  const [opened, setOpened] = useState<CitationJson>();
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const query = state.q.trim();
  const [since, setSince] = useState(() => createdFrom(state.age, new Date()));
  const request = requestOf({ ...state, q: query, since });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({ ...searchQuery(request), enabled: query !== "", placeholderData: keepPreviousData });
  const hits = query ? data : undefined;
  return (
    <div className={styles.split}>
      <div className={styles.main}>
        <Page title={t`Search`} description={t`Finds passages in the documents that you can read, without a language model.`}>
          <form role="search" className={styles.form} onSubmit={(event) => event.preventDefault()}>
            <SearchBox label={t`Search documents`} value={state.q} hasFocus={!query} onChange={(q) => setState({ q })} />
            <div className={styles.filters}>
              <FilterTabs label={t`How to search`} value={state.mode} options={MODES.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(mode) => setState({ mode })} />
              <FilterSelect label={t`Type`} value={state.type} options={KINDS.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(type) => setState({ type: type as typeof state.type })} />
              <FilterSelect
                label={t`Source`}
                value={state.source}
                options={[{ value: "", label: t`All sources` }, ...connectors.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
                onChange={(source) => setState({ source })}
              />
              <FilterSelect
                label={t`Added`}
                value={state.age}
                options={AGES.map(({ value, label }) => ({ value, label: t(label) }))}
                onChange={(age) => {
                  setSince(createdFrom(age as typeof state.age, new Date()));
                  setState({ age: age as typeof state.age });
                }}
              />
            </div>
          </form>
          {error && <LoadFailure error={error} onRetry={refetch} />}
          <p className={styles.count} role="status">
            {isFetching && !isPlaceholderData && !hits && <Spinner label={t`Searching`} />}
            {hits && hits.length > 0 && <Plural value={hits.length} one="# passage" other="# passages" />}
          </p>
          {hits?.length === 0 && (
            <div className={styles.empty}>
              <SearchX size={28} aria-hidden />
              <p>
                <Trans>No results in the documents that you can read. Try other words or fewer filters.</Trans>
              </p>
            </div>
          )}
          <ol className={styles.hits} aria-label={t`Results`} aria-busy={isPlaceholderData}>
            {hits?.map((hit, index) => (
              <Hit key={hit.chunkId} hit={hit} query={query} isOpen={opened?.chunkId === hit.chunkId} onOpen={() => setOpened(citationOf(hit, index + 1))} />
            ))}
          </ol>
        </Page>
      </div>
      {opened && (
        <SourcePanel
          citation={opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

/** A hit as a citation for the source panel. */
function citationOf({ documentId, title, chunkId, text: snippet, start, end, page }: SearchHitJson, number: number): CitationJson {
  const known = { documentId, title, chunkId, snippet, spanStart: start, spanEnd: end, page };
  return { number, supported: true, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) };
}

interface HitProps {
  hit: SearchHitJson;
  query: string;
  isOpen: boolean;
  onOpen: () => void;
}

/** A passage: its document and position, its text, and a link to it. */
function Hit({ hit, query, isOpen, onOpen }: HitProps) {
  const { t } = useLingui();
  const { title = "", heading = [], page, text: passage = "", score = 0, creationDate } = hit;
  const place = [...heading.filter((each) => each !== title), page ? t`page ${page}` : ""].filter(Boolean).join(" › ");
  return (
    <li className={styles.hit} data-open={isOpen || undefined}>
      <button type="button" className={styles.open} aria-expanded={isOpen} onClick={onOpen}>
        {title}
      </button>
      <p className={styles.place}>
        {[place, formatMoment(creationDate)].filter(Boolean).map((part, index) => (
          <span key={index} title={part === place ? undefined : formatTimestamp(creationDate)}>
            {part}
          </span>
        ))}
        <span title={t`Relevance`}>{formatPercent(Number(score))}</span>
      </p>
      <p className={styles.text}>
        <Highlighted text={passage} query={query} />
      </p>
    </li>
  );
}
