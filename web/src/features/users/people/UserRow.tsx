import { Ellipsis, Flame, Link, Pencil, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { displayName, useCreateSignInLink, useCurrentUser, usePurgeUser, useUpdateUser } from "@/data/users";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { Badge } from "@/ui/Badge";
import { IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Menu, MenuItem, MenuSeparator } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { EditUserDialog } from "./EditUserDialog";
import { roleLabel } from "./roles";
import { SignInLinkDialog } from "./SignInLinkDialog";

interface UserRowProps {
  user: UserJson;
  /** Whether the reader may change accounts. */
  isManaged: boolean;
}

/** An account in the list, with what one can do with it. */
export function UserRow({ user, isManaged }: UserRowProps) {
  const { id = 0, userName = "", email = "", groups = [], isActive = false, lastLogin } = user;
  const name = displayName(user);
  const isOwn = useCurrentUser().id === id;
  const [dialog, setDialog] = useState<"edit" | "deactivate" | "purge">();
  const link = useCreateSignInLink();
  const update = useUpdateUser();
  const purge = usePurgeUser();
  const failure = link.error ?? update.error;
  const close = () => setDialog(undefined);
  return (
    <Row
      name={name}
      badges={
        <>
          <Badge tone={roleLabel(user) === "User" ? "neutral" : "accent"}>{roleLabel(user)}</Badge>
          {!isActive && <Badge tone="warn">Deactivated</Badge>}
          {isOwn && <Badge tone="neutral">You</Badge>}
        </>
      }
      facts={[
        userName !== name && userName,
        email,
        groups.length > 0 && `Groups: ${groups.join(", ")}`,
        lastLogin ? `Last sign-in ${formatMoment(lastLogin)}` : "Never signed in",
      ]}
      actions={
        isManaged && (
          <Menu
            trigger={
              <IconButton label={`Actions for ${name}`}>
                <Ellipsis size={16} />
              </IconButton>
            }
          >
            <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
              Edit
            </MenuItem>
            {isActive && (
              <MenuItem icon={<Link size={15} />} isDisabled={link.isPending} onSelect={() => link.mutate(id)}>
                Create sign-in link
              </MenuItem>
            )}
            {!isOwn && <MenuSeparator />}
            {!isOwn && isActive && (
              <MenuItem icon={<UserX size={15} />} isDangerous onSelect={() => setDialog("deactivate")}>
                Deactivate
              </MenuItem>
            )}
            {!isOwn && !isActive && (
              <MenuItem icon={<UserCheck size={15} />} onSelect={() => update.mutate({ id, isActive: true })}>
                Activate
              </MenuItem>
            )}
            {!isOwn && (
              <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
                Delete permanently
              </MenuItem>
            )}
          </Menu>
        )
      }
    >
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {link.data && <SignInLinkDialog name={name} link={link.data} onClose={link.reset} />}
      {dialog === "edit" && <EditUserDialog user={{ ...user, id }} onClose={close} />}
      {dialog === "deactivate" && (
        <ConfirmDialog
          title={`Deactivate ${name}?`}
          text="The account is signed out everywhere within a minute, and its API keys and sign-in links end for good. Running answers are cancelled. Conversations and documents stay."
          action="Deactivate"
          onConfirm={() => update.mutateAsync({ id, isActive: false })}
          onClose={close}
        />
      )}
      {dialog === "purge" && (
        <ConfirmDialog
          title={`Delete ${name} permanently?`}
          text="The account is deleted with its API keys, all of its conversations, and its private documents. Documents that it shares with others become yours. This cannot be undone."
          action="Delete permanently"
          onConfirm={() => purge.mutateAsync(id)}
          onClose={close}
        />
      )}
    </Row>
  );
}
