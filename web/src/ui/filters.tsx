/** Filters of a page's list. */
import { useLingui } from "@lingui/react/macro";
import { ChevronDown, Search } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { takeFocus } from "./focus";
import { Menu, MenuChecks } from "./Menu";
import { useShortcuts } from "./shortcuts";
import styles from "./filters.module.css";

/** Delay after the last keystroke before a search. */
const TYPED_MS = 250;

interface SearchBoxProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Whether it is focused when its page opens. */
  hasFocus?: boolean;
}

/** What is typed, which is passed on when typing pauses. */
function useTyped(value: string, onChange: (value: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState({ of: value, text: value });
  const shown = typed.of === value ? typed.text : value;
  useEffect(() => {
    if (shown === value) return undefined;
    const timer = setTimeout(() => onChange(shown), TYPED_MS);
    return () => clearTimeout(timer);
  }, [shown, value, onChange]);
  return [shown, (text) => setTyped({ of: value, text })];
}

/** A box to search in, which the key `/` leads to. Its value is passed on when typing pauses, and at once on Enter. */
export function SearchBox({ label, value, onChange, hasFocus = false }: SearchBoxProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useTyped(value, onChange);
  useShortcuts(useMemo(() => [{ keys: "/", label: t`Search`, run: () => input.current?.focus() }], [t]));
  useEffect(() => {
    if (hasFocus) takeFocus(input.current);
  }, [hasFocus]);
  return (
    <div className={styles.search}>
      <Search size={16} aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={shown}
        onChange={(event) => setShown(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) onChange(shown);
        }}
      />
    </div>
  );
}

/** A filter that is typed; its value is passed on when typing pauses. */
export function FilterText({ label, value, onChange }: Omit<SearchBoxProps, "hasFocus">) {
  const [shown, setShown] = useTyped(value, onChange);
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={label}
      className={styles.text}
      data-set={value !== "" || undefined}
      value={shown}
      onChange={(event) => setShown(event.target.value)}
    />
  );
}

interface FilterTabsProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of a few choices, all of which are in sight. */
export function FilterTabs<T extends string>({ label, value, options, onChange }: FilterTabsProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.tabs}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.tab}>
          <input type="radio" name={name} className="visually-hidden" checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface FilterSelectProps {
  label: string;
  value: string;
  /** The first one means no filter. */
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A select whose options name the filter. */
export function FilterSelect({ label, value, options, onChange }: FilterSelectProps) {
  return (
    <select aria-label={label} className={styles.select} data-set={value !== options[0]?.value || undefined} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface FilterMenuProps<T extends string> {
  label: string;
  /** The selection; an empty one filters nothing. */
  values: readonly T[];
  /** `count` is how many a choice would find. */
  options: readonly { value: T; label: string; count?: string | undefined }[];
  onChange: (values: readonly T[]) => void;
}

/** A multiple choice in a menu that stays open; its button shows the selection. */
export function FilterMenu<T extends string>({ label, values, options, onChange }: FilterMenuProps<T>) {
  const { t } = useLingui();
  const chosen = options.filter(({ value }) => values.includes(value)).map((option) => option.label);
  const [first, ...others] = chosen;
  const summary = others.length > 0 ? `${first ?? ""} +${others.length}` : first;
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={styles.menu} data-set={chosen.length > 0 || undefined} title={chosen.join(", ")}>
          <span>{summary ? `${label}: ${summary}` : label}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      <MenuChecks label={label} values={values} options={options} clear={t`Clear`} onChange={onChange} />
    </Menu>
  );
}
