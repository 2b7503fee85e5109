import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { groupName, useSaveGroup } from "@/data/groups";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import { TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Creates a group, or edits its display name and description. */
export function GroupDialog({ group, onClose }: { group?: GroupJson; onClose: () => void }) {
  const { t } = useLingui();
  const [name, setName] = useState(group?.name ?? "");
  const [displayName, setDisplayName] = useState(group?.displayName ?? "");
  const [description, setDescription] = useState(group?.description ?? "");
  const save = useSaveGroup();
  const submit = () =>
    save.mutateAsync({ ...(group?.id && { id: group.id }), name: name.trim(), displayName: displayName.trim(), description: description.trim() });
  return (
    <FormDialog title={group ? t`Edit ${groupName(group)}` : t`New group`} action={group ? t`Save` : t`Create`} onSubmit={submit} onClose={onClose}>
      {!group && (
        <TextField label={t`Name`} required maxLength={255} hint={t`It cannot be changed later.`} value={name} onChange={(event) => setName(event.target.value)} />
      )}
      <TextField
        label={t`Display name (optional)`}
        maxLength={255}
        hint={t`It is shown in place of the name, and can be changed at any time.`}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
      />
      <TextArea label={t`Description (optional)`} maxLength={2000} rows={3} value={description} onChange={(event) => setDescription(event.target.value)} />
    </FormDialog>
  );
}
