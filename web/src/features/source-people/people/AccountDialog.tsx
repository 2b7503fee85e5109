import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { useSetAlias } from "@/data/source-people";
import { displayName, foundUsersQuery, useSetEmailVerified } from "@/data/users";
import type { SourcePersonJson } from "@/gen/echomind/public/v1/source_permission_pb";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { Notice } from "@/ui/Notice";
import { showFailure, showToast } from "@/ui/toasts";
import styles from "./source-people.module.css";

const SHOWN = 20;

/** Assigns an account to a person at a source. */
export function AccountDialog({ person, onClose }: { person: SourcePersonJson; onClose: () => void }) {
  const { t } = useLingui();
  const { key = "", email = "", mapping, userId = 0, userName = "" } = person;
  const name = person.name || email || key;
  const group = useId();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<{ id: number; label: string }>();
  const found = useInfiniteQuery(foundUsersQuery({ query: useDeferredValue(query), state: "USER_STATE_ACTIVE", order: "USER_ORDER_USER_NAME" }));
  const users = (found.data?.pages[0]?.users ?? []).slice(0, SHOWN);
  const alias = useSetAlias();
  const verification = useSetEmailVerified();
  const choose = async () => {
    if (!chosen) return;
    await alias.mutateAsync({ key, userId: chosen.id });
    showToast({
      message: t`${name} is now ${chosen.label}, in every connector that knows them.`,
      // An alias of an account that was deleted cannot be set again.
      ...(mapping !== "SOURCE_PERSON_MAPPING_ACCOUNT_DELETED" && {
        action: { label: t`Undo`, run: () => alias.mutate({ key, userId: 0 }, { onError: showFailure }) },
      }),
    });
  };
  const verify = () =>
    verification.mutate(
      { id: userId, isVerified: true },
      {
        onSuccess: () => {
          showToast({ message: t`${email} is marked as verified: connectors know ${userName} by it.` });
          onClose();
        },
      },
    );
  return (
    <FormDialog title={t`Who is ${name}?`} action={t`Choose`} isReady={chosen !== undefined} onSubmit={choose} onClose={onClose}>
      {mapping === "SOURCE_PERSON_MAPPING_UNVERIFIED" && (
        <Notice
          tone="info"
          actions={
            <Button onClick={verify} disabled={verification.isPending}>
              <Trans>Mark as verified</Trans>
            </Button>
          }
        >
          {t`The account ${userName} has the address ${email}, which is not verified. If it is theirs, mark it so; otherwise choose another account.`}
        </Notice>
      )}
      {verification.error && <Notice tone="danger">{verification.error.message}</Notice>}
      <TextField label={t`Search accounts`} type="search" placeholder={t`Name or e-mail address`} value={query} onChange={(event) => setQuery(event.target.value)} />
      <div className={styles.choices} role="radiogroup" aria-label={t`Accounts`}>
        {users.map((user) => (
          <label key={user.id} className={styles.choice}>
            <input
              type="radio"
              name={group}
              checked={chosen?.id === user.id}
              onChange={() => setChosen({ id: user.id ?? 0, label: displayName(user) })}
            />
            {[displayName(user), user.email].join(" · ")}
          </label>
        ))}
        {found.isSuccess && users.length === 0 && (
          <p>
            <Trans>No active account matches.</Trans>
          </p>
        )}
      </div>
      {chosen && <p>{t`Chosen: ${chosen.label}`}</p>}
    </FormDialog>
  );
}
