import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { groupName, useChangeMembers } from "@/data/groups";
import { displayName, foundUsersQuery } from "@/data/users";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import { CheckField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import styles from "./groups.module.css";

const SHOWN = 20;

/** Finds people and adds the selected ones to a group. */
export function AddMembersDialog({ group, onClose }: { group: GroupJson; onClose: () => void }) {
  const { t } = useLingui();
  const { id = 0, name = "" } = group;
  const title = groupName(group);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<number, string>>(new Map());
  const found = useInfiniteQuery(foundUsersQuery({ query: useDeferredValue(query), state: "USER_STATE_ACTIVE", order: "USER_ORDER_USER_NAME" }));
  const change = useChangeMembers();
  const others = (found.data?.pages[0]?.users ?? []).filter(({ groups = [] }) => !groups.includes(name)).slice(0, SHOWN);
  const toggle = (userId: number, label: string) => {
    const next = new Map(chosen);
    if (!next.delete(userId)) next.set(userId, label);
    setChosen(next);
  };
  return (
    <FormDialog
      title={t`Add people to ${title}`}
      action={t`Add`}
      isReady={chosen.size > 0}
      onSubmit={() => change.mutateAsync({ id, userIds: [...chosen.keys()], isMember: true })}
      onClose={onClose}
    >
      <TextField label={t`Search`} type="search" placeholder={t`Name or e-mail address`} value={query} onChange={(event) => setQuery(event.target.value)} />
      <div className={styles.people} role="group" aria-label={t`People`}>
        {others.map((user) => {
          const label = [displayName(user), user.email].filter(Boolean).join(" · ");
          return <CheckField key={user.id} label={label} checked={chosen.has(user.id ?? 0)} onChange={() => toggle(user.id ?? 0, displayName(user))} />;
        })}
        {found.isSuccess && others.length === 0 && (
          <p>
            <Trans>No one else matches.</Trans>
          </p>
        )}
      </div>
      {chosen.size > 0 && (
        <p>
          <Trans>Chosen: {[...chosen.values()].join(", ")}</Trans>
        </p>
      )}
    </FormDialog>
  );
}
