import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { UserMinus, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { notebookMembersQuery, useRemoveGroup, useRemoveMember, useSetGroup, useSetMember } from "@/data/notebooks";
import { groupName } from "@/data/groups";
import { useCurrentUser } from "@/data/users";
import type { NotebookGroupJson, NotebookJson, NotebookMemberJson, NotebookRoleJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button, IconButton } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { showFailure, showToast } from "@/ui/toasts";
import { AddMembersDialog } from "./AddMembersDialog";
import { GROUP_ROLES, roleLabel, ROLES } from "./roles";
import styles from "../notebooks.module.css";

/** The people and groups of a notebook. */
export function MemberList({ notebook, onLeft }: { notebook: NotebookJson; onLeft: () => void }) {
  const { t } = useLingui();
  const { id = "" } = notebook;
  const me = useCurrentUser();
  const { data, error, refetch } = useQuery(notebookMembersQuery(id));
  const { members = [], groups = [] } = data ?? {};
  const [isAdding, setAdding] = useState(false);
  const change = useSetMember(id);
  const removal = useRemoveMember(id);
  const isOwner = notebook.role === "NOTEBOOK_ROLE_OWNER";
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
              <Role
                name={name}
                role={member.role}
                roles={ROLES}
                canChange={isOwner}
                onChange={(role) => change.mutate({ userId: member.userId ?? 0, role }, { onError: showFailure })}
              />
              {(isOwner || isMe) && (
                <IconButton label={isMe ? t`Leave the notebook` : t`Remove ${name} from the notebook`} onClick={() => remove(member)}>
                  <UserMinus size={15} />
                </IconButton>
              )}
            </li>
          );
        })}
        {groups.map((group) => (
          <Group key={`group ${group.groupId}`} notebookId={id} group={group} canChange={isOwner} />
        ))}
      </ul>
      {isAdding && <AddMembersDialog notebookId={id} members={members} groups={groups} onClose={() => setAdding(false)} />}
    </section>
  );
}

function Group({ notebookId, group, canChange }: { notebookId: string; group: NotebookGroupJson; canChange: boolean }) {
  const { t } = useLingui();
  const { groupId = 0, role = "NOTEBOOK_ROLE_VIEWER", memberCount = 0 } = group;
  const name = groupName(group);
  const change = useSetGroup(notebookId);
  const removal = useRemoveGroup(notebookId);
  const undo = { label: t`Undo`, run: () => change.mutate({ groupId, role }, { onError: showFailure }) };
  const remove = () =>
    removal.mutate(groupId, {
      onError: showFailure,
      onSuccess: () => showToast({ message: t`Removed ${name} from the notebook.`, action: undo }),
    });
  return (
    <li>
      <Users size={14} aria-hidden />
      <span className={styles.person}>
        {name}{" "}
        <small>
          <Plural value={memberCount} one="group of # person" other="group of # people" />
        </small>
      </span>
      <Role
        name={name}
        role={role}
        roles={GROUP_ROLES}
        canChange={canChange}
        onChange={(given) => change.mutate({ groupId, role: given }, { onError: showFailure })}
      />
      {canChange && (
        <IconButton label={t`Remove ${name} from the notebook`} onClick={remove}>
          <UserMinus size={15} />
        </IconButton>
      )}
    </li>
  );
}

interface RoleProps {
  name: string;
  role: NotebookRoleJson | undefined;
  roles: readonly NotebookRoleJson[];
  canChange: boolean;
  onChange: (role: NotebookRoleJson) => void;
}

function Role({ name, role = "NOTEBOOK_ROLE_UNSPECIFIED", roles, canChange, onChange }: RoleProps) {
  const { t } = useLingui();
  if (!canChange) return <span className={styles.role}>{t(roleLabel(role))}</span>;
  return (
    <select className={styles.role} aria-label={t`Role of ${name}`} value={role} onChange={(event) => onChange(event.target.value as NotebookRoleJson)}>
      {roles.map((each) => (
        <option key={each} value={each}>
          {t(roleLabel(each))}
        </option>
      ))}
    </select>
  );
}
