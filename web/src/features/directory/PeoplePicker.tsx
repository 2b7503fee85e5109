import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Users, X } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { directoryQuery, type Recipient } from "@/data/directory";
import { CheckField, TextField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import styles from "./directory.module.css";

interface PeoplePickerProps {
  value: readonly Recipient[];
  onChange: (value: Recipient[]) => void;
  label?: string;
  hint?: string;
  /** Whether groups can be chosen, too. */
  withGroups?: boolean;
  /** Who is there already, and cannot be chosen. */
  excluded?: (recipient: Recipient) => boolean;
}

/** Chooses people and groups, who are found while their names are typed. */
export function PeoplePicker({ value, onChange, label, hint, withGroups = false, excluded }: PeoplePickerProps) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const query = useDeferredValue(text.trim());
  const { data, error, isFetching, refetch } = useQuery(directoryQuery(query));
  const found: Recipient[] = [
    ...(withGroups ? (data?.groups ?? []) : []).map(
      ({ groupId = 0, name = "", memberCount = 0, displayName = "" }): Recipient => ({ kind: "group", id: groupId, name, memberCount, displayName }),
    ),
    ...(data?.people ?? []).map(({ userId = 0, userName = "", name }): Recipient => ({ kind: "person", id: userId, name: name || userName, userName })),
  ].filter((recipient) => !excluded?.(recipient));
  const addresses = new Map((data?.people ?? []).map(({ userId = 0, email = "" }) => [userId, email]));
  const isChosen = (recipient: Recipient) => value.some((each) => isSame(each, recipient));
  const toggle = (recipient: Recipient) =>
    onChange(isChosen(recipient) ? value.filter((each) => !isSame(each, recipient)) : [...value, recipient]);
  return (
    <div className={styles.picker}>
      <TextField
        label={label ?? (withGroups ? t`People and groups` : t`People`)}
        hint={hint}
        type="search"
        autoComplete="off"
        maxLength={320}
        placeholder={t`Name, user name or e-mail address`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Enter chooses the only match, instead of sending the form with nobody chosen.
          event.preventDefault();
          const [only, ...others] = found;
          if (only && others.length === 0 && query === text.trim() && !isChosen(only)) {
            toggle(only);
            setText("");
          }
        }}
      />
      {value.length > 0 && (
        <ul className={styles.chosen} aria-label={t`Chosen`}>
          {value.map((recipient) => (
            <li key={`${recipient.kind}${recipient.id}`}>
              {recipient.kind === "group" && <Users size={13} aria-hidden />}
              <span>{shownName(recipient)}</span>
              <button type="button" aria-label={t`Remove ${recipient.name}`} onClick={() => toggle(recipient)}>
                <X size={13} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {query !== "" && !error && (
        <div className={styles.found} role="group" aria-label={t`Matches`} aria-busy={isFetching}>
          {found.map((recipient) => (
            <CheckField
              key={`${recipient.kind}${recipient.id}`}
              label={<Match recipient={recipient} address={recipient.kind === "person" ? addresses.get(recipient.id) : undefined} />}
              checked={isChosen(recipient)}
              onChange={() => toggle(recipient)}
            />
          ))}
          {data?.isTruncated && (
            <p>
              <Trans>More match: type more of the name.</Trans>
            </p>
          )}
          {data && !isFetching && found.length === 0 && (
            <p role="status">
              <Trans>No one else matches.</Trans>
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function Match({ recipient, address }: { recipient: Recipient; address: string | undefined }) {
  const name = shownName(recipient);
  if (recipient.kind === "person") {
    return (
      <>
        {name} <small>{[recipient.userName === name ? "" : recipient.userName, address].filter(Boolean).join(" · ")}</small>
      </>
    );
  }
  return (
    <>
      <Users size={13} aria-hidden /> {name}{" "}
      <small>
        <Plural value={recipient.memberCount} one="group of # person" other="group of # people" />
      </small>
    </>
  );
}

function shownName(recipient: Recipient): string {
  return (recipient.kind === "group" && recipient.displayName) || recipient.name;
}

function isSame(one: Recipient, other: Recipient): boolean {
  return one.kind === other.kind && one.id === other.id;
}
