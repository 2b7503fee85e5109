import { useLingui } from "@lingui/react/macro";
import { Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { DocumentCountJson } from "@/gen/echomind/public/v1/document_pb";
import type { CountDocumentsResponseJson } from "@/gen/echomind/public/v1/document_service_pb";
import { Button } from "@/ui/Button";
import { FilterMenu, FilterSelect } from "@/ui/filters";
import { formatNumber } from "@/ui/format";
import { kindOf, NO_FILTER, statusOf, type KindWord, type ListState, type StatusWord, type VisibleWord } from "./filter";
import { KIND_LABELS, STATUS_LABELS, VISIBLE_LABELS } from "./labels";
import styles from "./FilterBar.module.css";

/** Delay after the last keystroke before the list is updated. */
const PAUSE_MS = 250;

interface FilterBarProps {
  state: ListState;
  connectors: readonly ConnectorJson[];
  counts: CountDocumentsResponseJson | undefined;
  onChange: (changes: Partial<ListState>) => void;
}

/** Words, status, type, collection and visibility of the documents to list, with how many each choice would find. */
export function FilterBar({ state, connectors, counts, onChange }: FilterBarProps) {
  const { t } = useLingui();
  const about = counts?.countsEstimated ? "≈ " : "";
  const count = (value: string, found: readonly DocumentCountJson[] | undefined) =>
    counts && `${about}${formatNumber(Number(found?.find((one) => one.value === value)?.documents ?? 0))}`;
  const isFiltered = Object.entries(NO_FILTER).some(([name, none]) => String(state[name as keyof ListState]) !== String(none));
  return (
    <div className={styles.bar} role="search" aria-label={t`Documents`}>
      <SearchField value={state.q} onChange={(q) => onChange({ q })} />
      <FilterMenu
        label={t`Status`}
        values={state.status}
        options={(Object.keys(STATUS_LABELS) as StatusWord[]).map((value) => ({ value, label: t(STATUS_LABELS[value]), count: count(statusOf(value), counts?.statuses) }))}
        onChange={(status) => onChange({ status })}
      />
      <FilterMenu
        label={t`Type`}
        values={state.type}
        options={(Object.keys(KIND_LABELS) as KindWord[]).map((value) => ({ value, label: t(KIND_LABELS[value].label), count: count(kindOf(value), counts?.kinds) }))}
        onChange={(type) => onChange({ type })}
      />
      <FilterMenu
        label={t`Collection`}
        values={state.source}
        options={connectors.map(({ id = 0, name = "" }) => ({ value: String(id), label: name, count: count(String(id), counts?.connectors) }))}
        onChange={(source) => onChange({ source, folder: "" })}
      />
      <FilterSelect
        label={t`Visible to`}
        value={state.visible}
        options={(Object.keys(VISIBLE_LABELS) as VisibleWord[]).map((value) => ({ value, label: t(VISIBLE_LABELS[value]) }))}
        onChange={(visible) => onChange({ visible: visible as VisibleWord })}
      />
      {isFiltered && (
        <Button size="sm" variant="ghost" onClick={() => onChange(NO_FILTER)}>
          <X size={14} aria-hidden /> {t`Clear filters`}
        </Button>
      )}
    </div>
  );
}

/** Applies typed text after a delay, and changes of the URL immediately. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useLingui();
  const [typed, setTyped] = useState({ text: value, of: value });
  const text = typed.of === value ? typed.text : value;
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className={styles.search}>
      <Search size={15} aria-hidden />
      <input
        type="search"
        aria-label={t`Search names`}
        placeholder={t`Search names and paths`}
        maxLength={200}
        value={text}
        onChange={(event) => setTyped({ text: event.target.value, of: value })}
      />
    </div>
  );
}
