import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { connectorsQuery } from "@/data/connectors";
import { notebooksQuery } from "@/data/notebooks";
import { searchQuery } from "@/data/search";
import { WithSource } from "@/features/documents/WithSource";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SearchHitJson } from "@/gen/echomind/public/v1/search_pb";
import { createdFrom } from "@/ui/ages";
import { Button } from "@/ui/Button";
import { FilterSelect, FilterTabs, FilterText, SearchBox } from "@/ui/filters";
import { formatLanguage, formatMoment, formatPercent, formatTimestamp } from "@/ui/format";
import { Highlighted } from "@/ui/Highlighted";
import { LoadFailure } from "@/ui/LoadFailure";
import { NarrowFold } from "@/ui/NarrowFold";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { AGES, KINDS, LANGUAGES, MODES, requestOf } from "./request";
import styles from "./SearchPage.module.css";

const STATE = {
  q: text(),
  mode: oneOf(["hybrid", "dense", "lexical"], "hybrid"),
  type: oneOf(["any", "pdf", "office", "text", "web", "mail"], "any"),
  source: text(),
  age: oneOf(["any", "week", "month", "year"], "any"),
  language: oneOf(["any", ...LANGUAGES], "any"),
  notebook: text(),
  folder: text(),
};

/** How many passages are shown at first when none matches closely. */
const CLOSEST = 5;

/** Finds passages without a model, and shows them in their documents. */
export function SearchPage() {
  const { t } = useLingui();
  const [state, setState] = useSearchState(STATE);
  const [opened, setOpened] = useState<CitationJson>();
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const { data: notebooks = [] } = useQuery(notebooksQuery(false));
  const query = state.q.trim();
  const [since, setSince] = useState(() => createdFrom(state.age, new Date()));
  const request = requestOf({ ...state, q: query, since });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({ ...searchQuery(request), enabled: query !== "", placeholderData: keepPreviousData });
  const { hits, missing, unranked } = (query ? data : undefined) ?? {};
  const strong = hits?.filter(({ isWeak }) => !isWeak) ?? [];
  const weak = hits?.filter(({ isWeak }) => isWeak) ?? [];
  const [showsWeak, setShowsWeak] = useState("");
  const isWide = showsWeak === query;
  const isFiltered = Object.entries(state).some(([name, value]) => !["q", "mode"].includes(name) && !["", "any"].includes(value));
  const shown = (isWide ? hits : strong.length > 0 ? strong : weak.slice(0, CLOSEST)) ?? [];
  const hidden = (hits?.length ?? 0) - shown.length;
  return (
    <WithSource citation={opened} onClose={() => setOpened(undefined)}>
      <Page title={t`Search`} description={t`Finds passages in the documents that you can read, without a language model.`}>
        <form role="search" className={styles.form} onSubmit={(event) => event.preventDefault()}>
          <SearchBox label={t`Search documents`} value={state.q} hasFocus={!query} onChange={(q) => setState({ q })} />
          <NarrowFold label={isFiltered ? t`Filters (in use)` : t`Filters`}>
            <div className={styles.filters}>
              <FilterTabs label={t`How to search`} value={state.mode} options={MODES.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(mode) => setState({ mode })} />
              <FilterSelect label={t`Type`} value={state.type} options={KINDS.map(({ value, label }) => ({ value, label: t(label) }))} onChange={(type) => setState({ type: type as typeof state.type })} />
              <FilterSelect
                label={t`Connector`}
                value={state.source}
                options={[{ value: "", label: t`All connectors` }, ...connectors.map(({ id = 0, name = "" }) => ({ value: String(id), label: name }))]}
                onChange={(source) => setState({ source })}
              />
              <FilterSelect
                label={t`Language`}
                value={state.language}
                options={[{ value: "any", label: t`All languages` }, ...LANGUAGES.map((code) => ({ value: code, label: formatLanguage(code) }))]}
                onChange={(language) => setState({ language: language as typeof state.language })}
              />
              {notebooks.length > 0 && (
                <FilterSelect
                  label={t`Notebook`}
                  value={state.notebook}
                  options={[{ value: "", label: t`All documents` }, ...notebooks.map(({ id = "", title = "" }) => ({ value: id, label: title }))]}
                  onChange={(notebook) => setState({ notebook })}
                />
              )}
              <FilterSelect
                label={t`Added`}
                value={state.age}
                options={AGES.map(({ value, label }) => ({ value, label: t(label) }))}
                onChange={(age) => {
                  setSince(createdFrom(age as typeof state.age, new Date()));
                  setState({ age: age as typeof state.age });
                }}
              />
              <FilterText label={t`Folder`} value={state.folder} onChange={(folder) => setState({ folder })} />
            </div>
          </NarrowFold>
        </form>
        {error && <LoadFailure error={error} onRetry={refetch} />}
        {missing && <Notice tone="warn">{serverWords(missing)}</Notice>}
        {unranked && <Notice tone="warn">{serverWords(unranked)}</Notice>}
        <p className={styles.count} role="status">
          {isFetching && !isPlaceholderData && !hits && <Spinner label={t`Searching`} />}
          {strong.length > 0 && <Plural value={strong.length} one="# passage" other="# passages" />}
          {strong.length === 0 && weak.length > 0 && <Trans>No passage matches closely. These come closest:</Trans>}
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
          {shown.map((hit, index) => (
            <Hit key={hit.chunkId} hit={hit} query={query} isOpen={opened?.chunkId === hit.chunkId} onOpen={() => setOpened(citationOf(hit, index + 1))} />
          ))}
        </ol>
        {hidden > 0 && (
          <Button variant="ghost" onClick={() => setShowsWeak(query)}>
            <Plural value={hidden} one="Show # passage that matches less" other="Show # passages that match less" />
          </Button>
        )}
        {hits && hits.length > 0 && (
          <p className={styles.count}>
            <Trans>
              The percentage of the first passage is how similar it is to your words; those of the others are in proportion to it.
            </Trans>
          </p>
        )}
      </Page>
    </WithSource>
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
  const { title = "", fileName = "", heading = [], page, snippet = "", score = 0, creationDate, copyIds = [] } = hit;
  const place = [...heading.filter((each) => each !== title), page ? t`page ${page}` : ""].filter(Boolean).join(" › ");
  return (
    <li className={styles.hit} data-open={isOpen || undefined}>
      <button type="button" className={styles.open} aria-expanded={isOpen} onClick={onOpen}>
        {title}
      </button>
      <p className={styles.place}>
        {fileName !== title && <span>{fileName}</span>}
        {[place, formatMoment(creationDate)].filter(Boolean).map((part, index) => (
          <span key={index} title={part === place ? undefined : formatTimestamp(creationDate)}>
            {part}
          </span>
        ))}
        <span title={t`Relevance`}>{formatPercent(Number(score))}</span>
        {copyIds.length > 0 && <Plural value={copyIds.length} one="also in # document" other="also in # documents" />}
      </p>
      <p className={styles.text}>
        <Highlighted text={snippet} query={query} />
      </p>
    </li>
  );
}
