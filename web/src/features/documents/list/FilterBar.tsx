import { useLingui } from "@lingui/react/macro";
import { Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { DocumentCountJson } from "@/gen/echomind/public/v1/document_pb";
import type { CountDocumentsResponseJson } from "@/gen/echomind/public/v1/document_service_pb";
import { Button } from "@/ui/Button";
import { formatCompact } from "@/ui/format";
import { CODECS, kindOf, NO_FILTER, statusOf, type KindWord, type ListState, type StatusWord, type VisibleWord } from "./filter";
import { KIND_LABELS, STATUS_LABELS, VISIBLE_LABELS } from "./labels";
import styles from "./FilterBar.module.css";

/** How long typing must pause before the list follows. */
const PAUSE_MS = 250;

interface FilterBarProps {
  state: ListState;
  counts: CountDocumentsResponseJson | undefined;
  onChange: (changes: Partial<ListState>) => void;
}

/** Words, status, type and visibility of the documents to list, with how many each choice would find. */
export function FilterBar({ state, counts, onChange }: FilterBarProps) {
  const { t } = useLingui();
  const about = counts?.countsEstimated ? "≈ " : "";
  const withCount = (label: string, value: string, found: readonly DocumentCountJson[] | undefined) =>
    counts ? `${label} (${about}${formatCompact(Number(found?.find((one) => one.value === value)?.documents ?? 0))})` : label;
  const isFiltered = Object.entries(NO_FILTER).some(([name, none]) => String(state[name as keyof ListState]) !== String(none));
  return (
    <div className={styles.bar} role="search" aria-label={t`Documents`}>
      <SearchField value={state.q} onChange={(q) => onChange({ q })} />
      <select
        aria-label={t`Status`}
        value={state.status[0] ?? ""}
        onChange={(event) => onChange({ status: CODECS.status.read([event.target.value]) })}
      >
        <option value="">{t`Any status`}</option>
        {(Object.keys(STATUS_LABELS) as StatusWord[]).map((word) => (
          <option key={word} value={word}>
            {withCount(t(STATUS_LABELS[word]), statusOf(word), counts?.statuses)}
          </option>
        ))}
      </select>
      <select aria-label={t`Type`} value={state.type[0] ?? ""} onChange={(event) => onChange({ type: CODECS.type.read([event.target.value]) })}>
        <option value="">{t`Any type`}</option>
        {(Object.keys(KIND_LABELS) as KindWord[]).map((word) => (
          <option key={word} value={word}>
            {withCount(t(KIND_LABELS[word].label), kindOf(word), counts?.kinds)}
          </option>
        ))}
      </select>
      <select
        aria-label={t`Visible to`}
        value={state.visible}
        onChange={(event) => onChange({ visible: CODECS.visible.read([event.target.value]) })}
      >
        {(Object.keys(VISIBLE_LABELS) as VisibleWord[]).map((word) => (
          <option key={word} value={word}>
            {t(VISIBLE_LABELS[word])}
          </option>
        ))}
      </select>
      {isFiltered && (
        <Button size="sm" variant="ghost" onClick={() => onChange(NO_FILTER)}>
          <X size={14} aria-hidden /> {t`Clear filters`}
        </Button>
      )}
    </div>
  );
}

/** Follows what is typed after a pause, and what the address says at once. */
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
