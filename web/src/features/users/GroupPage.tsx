import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Pencil, Shield, ShieldOff, Trash2, UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { groupMembersQuery, groupName, groupQuery, useChangeMembers, useDeleteGroup, useSetGroupAdmin } from "@/data/groups";
import { hasRole, useCurrentUser } from "@/data/users";
import type { GroupJson, GroupMemberJson } from "@/gen/echomind/public/v1/group_pb";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { LastChange } from "@/ui/LastChange";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { DataTable } from "@/ui/table/DataTable";
import { pagesOf } from "@/ui/table/pages";
import { showFailure, showToast } from "@/ui/toasts";
import { AddByNameDialog } from "./groups/AddByNameDialog";
import { AddMembersDialog } from "./groups/AddMembersDialog";
import { memberColumns, memberName, sourceLabels } from "./groups/columns";
import { GroupDialog } from "./groups/GroupDialog";
import styles from "./groups/groups.module.css";

/** A group with its members, for admins, and for the admins of the group. */
export function GroupPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: group, error, refetch } = useQuery(groupQuery(id));
  const isAdmin = hasRole(useCurrentUser(), "ROLE_ADMIN");
  const section = isAdmin ? t`Administration` : t`Settings`;
  const parents = isAdmin ? [{ href: "/admin/groups", label: t`Groups` }] : [{ href: "/settings/account", label: t`Account` }];
  if (group) return <Group group={group} section={section} parents={parents} />;
  return (
    <Page title={t`Group`} section={section} parents={parents}>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading`} />}
    </Page>
  );
}

interface GroupProps {
  group: GroupJson;
  section: string;
  parents: { href: string; label: string }[];
}

function Group({ group, section, parents }: GroupProps) {
  const { t } = useLingui();
  const { id = 0, description, canManage = false } = group;
  const title = groupName(group);
  const [, navigate] = useLocation();
  const me = useCurrentUser();
  const isSuperadmin = hasRole(me, "ROLE_SUPERADMIN");
  const [dialog, setDialog] = useState<"add" | "edit" | "delete">();
  const members = useInfiniteQuery(groupMembersQuery(id));
  const rows = members.data?.pages.flatMap((page) => page.members ?? []);
  const change = useChangeMembers();
  const setAdmin = useSetGroupAdmin();
  const deletion = useDeleteGroup();
  const close = () => setDialog(undefined);
  const remove = (member: GroupMemberJson) => {
    const name = memberName(member);
    const undo = {
      label: t`Undo`,
      run: () => change.mutate({ id, userNames: [member.userName ?? ""], isMember: true }, { onError: showFailure }),
    };
    change.mutate(
      { id, userIds: [member.userId ?? 0], isMember: false },
      {
        onError: showFailure,
        onSuccess: () => {
          showToast({ message: t`Removed ${name} from ${title}.`, ...((isSuperadmin || member.userId !== me.id) && { action: undo }) });
          if (member.userId === me.id && !hasRole(me, "ROLE_ADMIN")) navigate("/settings/account");
        },
      },
    );
  };
  const columns = memberColumns(t, me.id);
  if (canManage) {
    columns.push({
      id: "actions",
      header: t`Actions`,
      width: "5.5rem",
      isHeaderHidden: true,
      cell: (member) => {
        const { userId = 0, isAdmin = false } = member;
        const name = memberName(member);
        return (
          <span className={styles.rowActions}>
            {isSuperadmin && member.kind !== "ACCOUNT_KIND_SERVICE" && (
              <IconButton
                label={isAdmin ? t`Make ${name} a plain member` : t`Make ${name} an admin of the group`}
                onClick={() => setAdmin.mutate({ id, userId, isAdmin: !isAdmin }, { onError: showFailure })}
              >
                {isAdmin ? <ShieldOff size={16} /> : <Shield size={16} />}
              </IconButton>
            )}
            {!member.belongsToGroup && (
              <IconButton label={t`Remove ${name} from the group`} onClick={() => remove(member)}>
                <UserMinus size={16} />
              </IconButton>
            )}
          </span>
        );
      },
    });
  }
  return (
    <Page
      title={title}
      section={section}
      parents={parents}
      {...(description && { description })}
      actions={
        canManage && (
          <div className={styles.actions}>
            <Button variant="primary" onClick={() => setDialog("add")}>
              <UserPlus size={16} /> <Trans>Add people</Trans>
            </Button>
            {isSuperadmin && (
              <>
                <Button onClick={() => setDialog("edit")}>
                  <Pencil size={15} /> <Trans>Edit</Trans>
                </Button>
                <Button onClick={() => setDialog("delete")}>
                  <Trash2 size={15} /> <Trans>Remove</Trans>
                </Button>
              </>
            )}
          </div>
        )
      }
    >
      <DataTable
        label={t`Members`}
        columns={columns}
        rows={rows}
        idOf={(member) => String(member.userId)}
        nameOf={memberName}
        total={group.memberCount ?? 0}
        summary={(member) => sourceLabels(t, member)}
        {...pagesOf(members)}
        whenEmpty={<Trans>This group has no members yet.</Trans>}
      />
      <LastChange item={group} isSentence />
      {dialog === "add" &&
        (isSuperadmin ? <AddMembersDialog group={group} onClose={close} /> : <AddByNameDialog group={group} members={rows ?? []} onClose={close} />)}
      {dialog === "edit" && <GroupDialog group={group} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Remove the group ${title}?`}
          text={t`Its members keep their accounts. A group that connectors or assistants are shared with cannot be removed: share these with others first.`}
          action={t`Remove`}
          onConfirm={async () => {
            await deletion.mutateAsync(id);
            navigate("/admin/groups");
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}
