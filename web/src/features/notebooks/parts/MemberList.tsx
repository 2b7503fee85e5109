import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import type { Recipient } from "@/data/directory";
import { notebookMembersQuery, useRemoveMember, useSetMember } from "@/data/notebooks";
import { useCurrentUser } from "@/data/users";
import type { NotebookJson, NotebookMemberJson, NotebookRoleJson } from "@/gen/echomind/public/v1/notebook_pb";
import { PeoplePicker } from "@/features/directory/PeoplePicker";
import { Button, IconButton } from "@/ui/Button";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { LoadFailure } from "@/ui/LoadFailure";
import { showFailure, showToast } from "@/ui/toasts";
import { roleLabel, ROLES } from "./roles";
import styles from "../notebooks.module.css";

/** The people of a notebook. */
export function MemberList({ notebook, onLeft }: { notebook: NotebookJson; onLeft: () => void }) {
  const { t } = useLingui();
  const { id = "" } = notebook;
  const me = useCurrentUser();
  const { data: members = [], error, refetch } = useQuery(notebookMembersQuery(id));
  const [isAdding, setAdding] = useState(false);
  const change = useSetMember(id);
  const removal = useRemoveMember(id);
  const isOwner = notebook.role === "NOTEBOOK_ROLE_OWNER";
  const options = ROLES.map((role) => ({ value: role, label: t(roleLabel(role)) }));
  const remove = ({ userId = 0, role = "NOTEBOOK_ROLE_VIEWER", ...member }: NotebookMemberJson) => {
    const isMe = userId === me.id;
    const name = member.name || member.userName || "";
    const undo = { label: t`Undo`, run: () => change.mutate({ userName: member.userName ?? "", role }, { onError: showFailure }) };
    removal.mutate(userId, {
      onError: showFailure,
      onSuccess: () => {
        if (isMe) onLeft();
        else showToast({ message: t`Removed ${name} from the notebook.`, action: undo });
      },
    });
  };
  return (
    <section className={styles.panel} aria-labelledby="notebook-members">
      <header className={styles.head}>
        <h2 id="notebook-members">
          <Trans>Members</Trans>
        </h2>
        {isOwner && (
          <Button size="sm" onClick={() => setAdding(true)}>
            <UserPlus size={14} /> <Trans>Add people</Trans>
          </Button>
        )}
      </header>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      <ul className={styles.members} aria-label={t`Members`}>
        {members.map((member) => {
          const name = member.name || member.userName || "";
          const isMe = member.userId === me.id;
          return (
            <li key={member.userId}>
              <span className={styles.person}>{isMe ? t`${name} (you)` : name}</span>
              {isOwner ? (
                <select
                  className={styles.role}
                  aria-label={t`Role of ${name}`}
                  value={member.role}
                  onChange={(event) => change.mutate({ userId: member.userId ?? 0, role: event.target.value as NotebookRoleJson }, { onError: showFailure })}
                >
                  {options.map((option) => (
                    <option key={option.value} value={option.value}>
                      {option.label}
                    </option>
                  ))}
                </select>
              ) : (
                <span className={styles.role}>{t(roleLabel(member.role ?? "NOTEBOOK_ROLE_UNSPECIFIED"))}</span>
              )}
              {(isOwner || isMe) && (
                <IconButton label={isMe ? t`Leave the notebook` : t`Remove ${name} from the notebook`} onClick={() => remove(member)}>
                  <UserMinus size={15} />
                </IconButton>
              )}
            </li>
          );
        })}
      </ul>
      {isAdding && <AddMemberDialog notebookId={id} members={members} onClose={() => setAdding(false)} />}
    </section>
  );
}

function AddMemberDialog({ notebookId, members, onClose }: { notebookId: string; members: readonly NotebookMemberJson[]; onClose: () => void }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<Recipient[]>([]);
  const [role, setRole] = useState<NotebookRoleJson>("NOTEBOOK_ROLE_VIEWER");
  const change = useSetMember(notebookId);
  const add = async () => {
    for (const [index, recipient] of chosen.entries()) {
      if (recipient.kind === "person") await change.mutateAsync({ userName: recipient.userName, role });
      // Those that are left if one is refused.
      setChosen(chosen.slice(index + 1));
    }
  };
  return (
    <FormDialog title={t`Add people`} action={t`Add`} isReady={chosen.length > 0} onSubmit={add} onClose={onClose}>
      <PeoplePicker
        value={chosen}
        onChange={setChosen}
        hint={t`They get answers from the sources that they can read, and see conversations that used only those.`}
        excluded={({ kind, id }) => kind === "person" && members.some((member) => member.userId === id)}
      />
      <SelectField
        label={t`Role`}
        options={ROLES.map((each) => ({ value: each, label: t(roleLabel(each)) }))}
        hint={t`Viewers can read and ask. Editors can also change sources and instructions, and owners can also manage members.`}
        value={role}
        onChange={(value) => setRole(value as NotebookRoleJson)}
      />
    </FormDialog>
  );
}
