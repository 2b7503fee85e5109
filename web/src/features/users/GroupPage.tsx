import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Pencil, Trash2, UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { groupQuery, useChangeMembers, useDeleteGroup } from "@/data/groups";
import { displayName, hasRole, useCurrentUser, foundUsersQuery } from "@/data/users";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { LastChange } from "@/ui/LastChange";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { DataTable } from "@/ui/table/DataTable";
import { showFailure, showToast } from "@/ui/toasts";
import { AddMembersDialog } from "./groups/AddMembersDialog";
import { GroupDialog } from "./groups/GroupDialog";
import { userColumns, userSummary } from "./people/columns";
import styles from "./groups/groups.module.css";

/** A group with its members. */
export function GroupPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: group, error, refetch } = useQuery(groupQuery(id));
  const parents = [{ href: "/admin/groups", label: t`Groups` }];
  if (group) return <Group group={group} parents={parents} />;
  return (
    <Page title={t`Group`} section={t`Administration`} parents={parents}>
      {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading`} />}
    </Page>
  );
}

function Group({ group, parents }: { group: GroupJson; parents: { href: string; label: string }[] }) {
  const { t } = useLingui();
  const { id = 0, name = "", description } = group;
  const [, navigate] = useLocation();
  const me = useCurrentUser();
  const isManaged = hasRole(me, "ROLE_SUPERADMIN");
  const [dialog, setDialog] = useState<"add" | "edit" | "delete">();
  const members = useInfiniteQuery(foundUsersQuery({ group: name, order: "USER_ORDER_USER_NAME" }));
  const change = useChangeMembers();
  const deletion = useDeleteGroup();
  const close = () => setDialog(undefined);
  const remove = (user: UserJson) => {
    const membership = { id, userIds: [user.id ?? 0] };
    const undo = { label: t`Undo`, run: () => change.mutate({ ...membership, isMember: true }, { onError: showFailure }) };
    change.mutate(
      { ...membership, isMember: false },
      { onError: showFailure, onSuccess: () => showToast({ message: t`Removed ${displayName(user)} from ${name}.`, action: undo }) },
    );
  };
  const columns = userColumns(t, me.id);
  if (isManaged) {
    columns.push({
      id: "actions",
      header: t`Actions`,
      width: "3.5rem",
      isHeaderHidden: true,
      cell: (user) => (
        <IconButton label={t`Remove ${displayName(user)} from the group`} onClick={() => remove(user)}>
          <UserMinus size={16} />
        </IconButton>
      ),
    });
  }
  return (
    <Page
      title={name}
      section={t`Administration`}
      parents={parents}
      {...(description && { description })}
      actions={
        isManaged && (
          <div className={styles.actions}>
            <Button variant="primary" onClick={() => setDialog("add")}>
              <UserPlus size={16} /> <Trans>Add people</Trans>
            </Button>
            <Button onClick={() => setDialog("edit")}>
              <Pencil size={15} /> <Trans>Edit</Trans>
            </Button>
            <Button onClick={() => setDialog("delete")}>
              <Trash2 size={15} /> <Trans>Remove</Trans>
            </Button>
          </div>
        )
      }
    >
      <DataTable
        label={t`Members`}
        columns={columns.map((column) => ({ ...column, isSortable: false }))}
        rows={members.data?.pages.flatMap((page) => page.users ?? [])}
        idOf={(user) => String(user.id)}
        nameOf={displayName}
        total={group.memberCount ?? 0}
        summary={(user) => userSummary(t, user)}
        hasMore={members.hasNextPage}
        isLoadingMore={members.isFetchingNextPage}
        onMore={() => void members.fetchNextPage()}
        error={members.error}
        onRetry={() => members.refetch()}
        whenEmpty={<Trans>This group has no members yet.</Trans>}
      />
      <LastChange item={group} isSentence />
      {dialog === "add" && <AddMembersDialog group={group} onClose={close} />}
      {dialog === "edit" && <GroupDialog group={group} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Remove the group ${name}?`}
          text={t`Its members keep their accounts. A group that sources are shared with cannot be removed: share these with others first.`}
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
