import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Recipient } from "@/data/directory";
import { useSetGroup, useSetMember } from "@/data/notebooks";
import { PeoplePicker } from "@/features/directory/PeoplePicker";
import type { NotebookGroupJson, NotebookMemberJson, NotebookRoleJson } from "@/gen/echomind/public/v1/notebook_pb";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { GROUP_ROLES, roleLabel, ROLES } from "./roles";

interface AddMembersDialogProps {
  notebookId: string;
  members: readonly NotebookMemberJson[];
  groups: readonly NotebookGroupJson[];
  onClose: () => void;
}

/** Adds people and groups to a notebook, several at once. */
export function AddMembersDialog({ notebookId, members, groups, onClose }: AddMembersDialogProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<Recipient[]>([]);
  const [role, setRole] = useState<NotebookRoleJson>("NOTEBOOK_ROLE_VIEWER");
  const change = useSetMember(notebookId);
  const changeGroup = useSetGroup(notebookId);
  const hasGroups = chosen.some(({ kind }) => kind === "group");
  const roles = hasGroups ? GROUP_ROLES : ROLES;
  const choose = (next: Recipient[]) => {
    setChosen(next);
    if (role === "NOTEBOOK_ROLE_OWNER" && next.some(({ kind }) => kind === "group")) setRole("NOTEBOOK_ROLE_EDITOR");
  };
  const add = async () => {
    for (const [index, recipient] of chosen.entries()) {
      if (recipient.kind === "person") await change.mutateAsync({ userName: recipient.userName, role });
      else await changeGroup.mutateAsync({ groupId: recipient.id, role });
      // Those that are left if one is refused.
      setChosen(chosen.slice(index + 1));
    }
  };
  return (
    <FormDialog title={t`Add people`} action={t`Add`} isReady={chosen.length > 0} onSubmit={add} onClose={onClose}>
      <PeoplePicker
        value={chosen}
        onChange={choose}
        withGroups
        hint={t`They get answers from the sources that they can read, and see conversations that used only those.`}
        excluded={({ kind, id }) => (kind === "person" ? members.some(({ userId }) => userId === id) : groups.some(({ groupId }) => groupId === id))}
      />
      <SelectField
        label={t`Role`}
        options={roles.map((each) => ({ value: each, label: t(roleLabel(each)) }))}
        hint={
          hasGroups
            ? t`Viewers can read and ask. Editors can also change sources and instructions. People of a group are members for as long as they are in it.`
            : t`Viewers can read and ask. Editors can also change sources and instructions, and owners can also manage members.`
        }
        value={role}
        onChange={(value) => setRole(value as NotebookRoleJson)}
      />
    </FormDialog>
  );
}
