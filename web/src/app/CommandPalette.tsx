import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { useSignOut } from "@/data/auth";
import { languageWord, themeWord, usePreferences } from "@/data/preferences";
import { namedDocumentsQuery } from "@/data/documents";
import { notebooksQuery } from "@/data/notebooks";
import { sessionSearchQuery, sessionsQuery } from "@/data/sessions";
import { Dialog } from "@/ui/Dialog";
import { LOCALES, type Locale } from "@/ui/locale";
import { THEMES } from "@/ui/theme";
import { showFailure } from "@/ui/toasts";
import { joined, matching, type Command } from "./commands";
import type { Section } from "./sections";
import styles from "./CommandPalette.module.css";

interface CommandPaletteProps {
  sections: readonly Section[];
  onShowShortcuts: () => void;
  onClose: () => void;
}

/** Shorter words are in nearly every conversation. */
const SHORTEST_SEARCH = 2;
const SEARCH_AFTER_MS = 150;

/** The one search: finds conversations, documents, notebooks, pages and actions, and opens or does the chosen one. */
export function CommandPalette({ sections, onShowShortcuts, onClose }: CommandPaletteProps) {
  const { t } = useLingui();
  const id = useId();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const commands = useCommands(sections, onShowShortcuts);
  const found = useFound(query.trim());
  const groups = useMemo(() => joined(matching(commands, query), found), [commands, query, found]);
  const shown = groups.flatMap(({ commands: own }) => own);
  // Results that arrive later may come before the chosen one, which stays chosen.
  const current = Math.max(0, shown.findIndex(({ key }) => key === chosen));

  const move = (to: number) => {
    const next = (to + shown.length) % shown.length;
    setChosen(shown[next]?.key ?? "");
    list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
  };
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      Enter: () => run(shown[current]),
    };
    if (!keys[event.key] || shown.length === 0) return;
    event.preventDefault();
    keys[event.key]?.();
  };
  return (
    <Dialog title={t`Find or do anything`} onClose={onClose} isWide>
      <input
        className={styles.input}
        role="combobox"
        aria-label={t`Name of a document, a conversation, a page or an action`}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[current] ? `${id}-${shown[current].key}` : undefined}
        placeholder={t`Documents, conversations, notebooks, pages, actions …`}
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen("");
        }}
      />
      <div id={`${id}-list`} ref={list} className={styles.list} role="listbox" aria-label={t`Results`}>
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <div className={styles.group} aria-hidden>
              {group.name}
            </div>
            {group.commands.map((command) => (
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the input has the focus and handles the keys
              <div
                key={command.key}
                id={`${id}-${command.key}`}
                className={styles.option}
                role="option"
                tabIndex={-1}
                aria-selected={command === shown[current]}
                onClick={() => run(command)}
              >
                {command.label}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className={styles.empty} role="status">
        {shown.length === 0 && t`No results.`}
      </p>
    </Dialog>
  );
}

/**
 * Results of the server for a query: conversations by their texts, documents by names, and the search in documents.
 * Those of an earlier query are not shown: Enter opens the first one, also when it follows the last letter at once.
 */
function useFound(query: string): readonly Command[] {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [searched, setSearched] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearched(query.length < SHORTEST_SEARCH ? "" : query), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { data } = useInfiniteQuery({ ...sessionSearchQuery(searched), enabled: searched !== "" });
  const { data: named } = useQuery({ ...namedDocumentsQuery(searched), enabled: searched !== "" });
  return useMemo(() => {
    if (!query) return [];
    const go = (group: string, href: string, label: string): Command => ({ group, key: `go-${href}`, label, run: () => navigate(href) });
    const isOfQuery = searched === query;
    const hits = isOfQuery ? (data?.pages ?? []).flatMap((page) => page.hits ?? []) : [];
    const conversations = hits.map(({ chatSession }) => go(t`Conversations`, `/chat/${chatSession?.id}`, chatSession?.title || t`New conversation`));
    const documents = (isOfQuery ? (named ?? []) : []).map(({ id = "", title = "", fileName = "" }) => go(t`Documents`, `/documents/${id}`, title || fileName));
    const inside = go(t`Documents`, `/search?${new URLSearchParams({ q: query }).toString()}`, t`Search documents for “${query}”`);
    return [...conversations, ...documents, inside];
  }, [data, named, navigate, query, searched, t]);
}

/** All that the palette offers by name. */
function useCommands(sections: readonly Section[], onShowShortcuts: () => void): readonly Command[] {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const signOut = useSignOut();
  const { change } = usePreferences();
  const { data: sessions } = useInfiniteQuery(sessionsQuery);
  const { data: notebooks } = useQuery(notebooksQuery(false));
  return useMemo(() => {
    const go = (group: string, href: string, label: string): Command => ({ group, key: `go-${href}`, label, run: () => navigate(href) });
    const pages = sections.flatMap(({ href, label, pages: own }) =>
      own ? own.map((page) => go(t`Pages`, page.href, `${t(label)} › ${t(page.label)}`)) : [go(t`Pages`, href, t(label))],
    );
    const action = (key: string, label: string, run: () => void): Command => ({ group: t`Actions`, key, label, run });
    const actions = [
      action("new-chat", t`New conversation`, () => navigate("/")),
      ...THEMES.map(({ value, label }) => action(`theme-${value}`, t`Theme: ${t(label)}`, () => void change({ theme: themeWord(value) }).catch(showFailure))),
      ...Object.entries(LOCALES).map(([locale, label]) => action(`locale-${locale}`, t`Language: ${label}`, () => void change({ language: languageWord(locale as Locale) }).catch(showFailure))),
      action("shortcuts", t`Show keyboard shortcuts`, onShowShortcuts),
      action("sign-out", t`Sign out`, () => signOut.mutate()),
    ];
    const conversations = (sessions?.pages ?? []).flatMap(({ chatSessions }) => chatSessions ?? []).map((session) =>
      go(t`Conversations`, `/chat/${session.id}`, session.title || t`New conversation`),
    );
    const ownNotebooks = (notebooks ?? []).map(({ id = "", title = "" }) => go(t`Notebooks`, `/notebooks/${id}`, title));
    return [...pages, ...ownNotebooks, ...actions, ...conversations];
  }, [change, navigate, notebooks, onShowShortcuts, sections, sessions, signOut, t]);
}
