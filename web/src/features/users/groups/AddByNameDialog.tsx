import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Recipient } from "@/data/directory";
import { groupName, useChangeMembers } from "@/data/groups";
import { PeoplePicker } from "@/features/directory/PeoplePicker";
import type { GroupJson, GroupMemberJson } from "@/gen/echomind/public/v1/group_pb";
import { FormDialog } from "@/ui/FormDialog";

interface AddByNameDialogProps {
  group: GroupJson;
  members: readonly GroupMemberJson[];
  onClose: () => void;
}

/** Adds people to a group whom its admins find, as they cannot list accounts. */
export function AddByNameDialog({ group, members, onClose }: AddByNameDialogProps) {
  const { t } = useLingui();
  const { id = 0 } = group;
  const title = groupName(group);
  const [chosen, setChosen] = useState<Recipient[]>([]);
  const change = useChangeMembers();
  const userNames = chosen.flatMap((recipient) => (recipient.kind === "person" ? [recipient.userName] : []));
  return (
    <FormDialog
      title={t`Add people to ${title}`}
      action={t`Add`}
      isReady={userNames.length > 0}
      onSubmit={() => change.mutateAsync({ id, userNames, isMember: true })}
      onClose={onClose}
    >
      <PeoplePicker
        value={chosen}
        onChange={setChosen}
        hint={t`They read what is shared with the group.`}
        excluded={(recipient) => members.some(({ userId }) => userId === recipient.id)}
      />
    </FormDialog>
  );
}
