import { Trans, useLingui } from "@lingui/react/macro";
import { BadgeCheck, BadgeX, Download, Eye, Flame, KeyRound, Link, LogOut, Pencil, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { exportUrl } from "@/api/routes";
import { useCreatePasswordLink } from "@/data/auth";
import { displayName, useCreateSignInLink, useCurrentUser, usePurgeUser, useSetEmailVerified, useSignOutUser, useUpdateUser } from "@/data/users";
import { ErasurePreview } from "@/features/privacy/ErasurePreview";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatTimestamp } from "@/ui/format";
import { MenuItem, MenuLink, MenuSeparator } from "@/ui/Menu";
import { showFailure, showToast } from "@/ui/toasts";
import { EditUserDialog } from "./EditUserDialog";
import { LinkDialog } from "./LinkDialog";

/** Actions of a superadmin on an account. */
export function UserMenu({ user }: { user: UserJson }) {
  const { t } = useLingui();
  const { id = 0, userName = "", email = "", isActive = false, isEmailVerified = false } = user;
  const name = displayName(user);
  const isOwn = useCurrentUser().id === id;
  const [dialog, setDialog] = useState<"edit" | "signOut" | "deactivate" | "purge">();
  const link = useCreateSignInLink();
  const passwordLink = useCreatePasswordLink();
  const update = useUpdateUser();
  const signOut = useSignOutUser();
  const purge = usePurgeUser();
  const verification = useSetEmailVerified();
  const [, navigate] = useLocation();
  const close = () => setDialog(undefined);
  const verify = (isVerified: boolean) =>
    verification.mutate(
      { id, isVerified },
      {
        onError: showFailure,
        onSuccess: () =>
          showToast({
            message: isVerified ? t`${email} is marked as verified: connectors know ${name} by it.` : t`${email} is no longer marked as verified.`,
            action: { label: t`Undo`, run: () => verification.mutate({ id, isVerified: !isVerified }, { onError: showFailure }) },
          }),
      },
    );
  const activate = () =>
    update.mutate(
      { id, isActive: true },
      { onError: showFailure, onSuccess: () => showToast({ message: t`${name} is active again, and signs in by a new link or password.` }) },
    );
  const remove = async () => {
    const { state, statusMessage = "" } = await purge.mutateAsync(id);
    if (state === "ERASURE_STATE_COMPLETED") return;
    const why = serverWords(statusMessage);
    showToast({
      message: t`${name} is deactivated, and not deleted yet. Administration, Privacy says how far it is. ${why}`.trim(),
      tone: "danger",
    });
  };
  return (
    <>
      <ActionsMenu label={t`Actions for ${name}`}>
        <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
          <Trans>Edit</Trans>
        </MenuItem>
        <MenuItem icon={<Eye size={15} />} onSelect={() => navigate(`/admin/people/${id}/access`)}>
          <Trans>What they see</Trans>
        </MenuItem>
        <MenuLink icon={<Download size={15} />} href={exportUrl(id)} download>
          <Trans>Export data</Trans>
        </MenuLink>
        {email && (
          <MenuItem icon={isEmailVerified ? <BadgeX size={15} /> : <BadgeCheck size={15} />} onSelect={() => verify(!isEmailVerified)}>
            {isEmailVerified ? <Trans>Mark e-mail address as not verified</Trans> : <Trans>Mark e-mail address as verified</Trans>}
          </MenuItem>
        )}
        {isActive && (
          <>
            <MenuItem icon={<KeyRound size={15} />} onSelect={() => passwordLink.mutate(id, { onError: showFailure })}>
              <Trans>Create link to set a password</Trans>
            </MenuItem>
            <MenuItem icon={<Link size={15} />} onSelect={() => link.mutate(id, { onError: showFailure })}>
              <Trans>Create sign-in link</Trans>
            </MenuItem>
          </>
        )}
        {!isOwn && (
          <>
            <MenuSeparator />
            {isActive && (
              <MenuItem icon={<LogOut size={15} />} onSelect={() => setDialog("signOut")}>
                <Trans>Sign out everywhere</Trans>
              </MenuItem>
            )}
            {isActive ? (
              <MenuItem icon={<UserX size={15} />} isDangerous onSelect={() => setDialog("deactivate")}>
                <Trans>Deactivate</Trans>
              </MenuItem>
            ) : (
              <MenuItem icon={<UserCheck size={15} />} onSelect={activate}>
                <Trans>Activate</Trans>
              </MenuItem>
            )}
            <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
              <Trans>Delete permanently</Trans>
            </MenuItem>
          </>
        )}
      </ActionsMenu>
      {link.data && (
        <LinkDialog
          title={t`Sign-in link for ${name}`}
          label={t`Link`}
          path={link.data.path}
          hint={t`Send it to ${name} only. It signs in once, until ${formatTimestamp(link.data.expiresAt)}.`}
          onClose={link.reset}
        />
      )}
      {passwordLink.data && (
        <LinkDialog
          title={t`Password link for ${name}`}
          label={t`Link`}
          path={passwordLink.data.path}
          hint={t`Send it to ${name} only. It sets a new password once, until ${formatTimestamp(passwordLink.data.expiresAt)}.`}
          onClose={passwordLink.reset}
        />
      )}
      {dialog === "edit" && <EditUserDialog user={{ ...user, id }} onClose={close} />}
      {dialog === "signOut" && (
        <ConfirmDialog
          title={t`Sign ${name} out everywhere?`}
          text={t`All browsers are signed out within a minute, and existing sign-in and password links are revoked. API keys stay.`}
          action={t`Sign out everywhere`}
          onConfirm={() => signOut.mutateAsync(id)}
          onClose={close}
        />
      )}
      {dialog === "deactivate" && (
        <ConfirmDialog
          title={t`Deactivate ${name}?`}
          text={t`The account is signed out everywhere within a minute, and its API keys, links and open invitations end permanently. Running answers are cancelled. Conversations and documents stay.`}
          action={t`Deactivate`}
          onConfirm={() => update.mutateAsync({ id, isActive: false })}
          onClose={close}
        />
      )}
      {dialog === "purge" && (
        <ConfirmDialog
          title={t`Delete ${name} permanently?`}
          text={t`The account is deleted with its API keys, all of its conversations, and its private documents. Documents that it shares with others become yours. This cannot be undone.`}
          action={t`Delete permanently`}
          name={userName}
          onConfirm={remove}
          onClose={close}
        >
          <ErasurePreview userId={id} />
        </ConfirmDialog>
      )}
    </>
  );
}
