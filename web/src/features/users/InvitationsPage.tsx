import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Trash2, UserPlus } from "lucide-react";
import { useState } from "react";
import { invitationsQuery, useDeleteInvitation } from "@/data/invitations";
import { hasRole, useCurrentUser } from "@/data/users";
import type { InvitationJson, InvitationStatusJson } from "@/gen/echomind/public/v1/invitation_pb";
import { Badge } from "@/ui/Badge";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatTimestamp } from "@/ui/format";
import { type ByMember, ofMember } from "@/ui/members";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { InviteDialog } from "./people/InviteDialog";
import { roleLabel } from "./roles";

const STATUS: ByMember<InvitationStatusJson, { label: ReturnType<typeof msg>; tone: "neutral" | "accent" | "warn" }> = {
  INVITATION_STATUS_OPEN: { label: msg({ message: `Open`, context: "invitation" }), tone: "accent" },
  INVITATION_STATUS_ACCEPTED: { label: msg`Accepted`, tone: "neutral" },
  INVITATION_STATUS_EXPIRED: { label: msg`Expired`, tone: "warn" },
  INVITATION_STATUS_SUSPENDED: { label: msg`Suspended`, tone: "warn" },
};

/** Open and accepted invitations. */
export function InvitationsPage() {
  const { t } = useLingui();
  const found = useInfiniteQuery(invitationsQuery);
  const isManaged = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [isInviting, setInviting] = useState(false);
  const invitations = found.data?.pages.flatMap((page) => page.invitations ?? []);
  return (
    <Page
      title={t`Invitations`}
      section={t`Administration`}
      description={t`Each link creates one account. It is shown only once, when it is created.`}
      actions={
        isManaged && (
          <Button variant="primary" onClick={() => setInviting(true)}>
            <UserPlus size={16} /> <Trans>Invite</Trans>
          </Button>
        )
      }
    >
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!invitations} label={t`Loading`} />
      {invitations && (
        <Rows label={t`Invitations`} whenEmpty={t`No invitations yet. Invite a colleague with a link.`}>
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} isManaged={isManaged} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}

function InvitationRow({ invitation, isManaged }: { invitation: InvitationJson; isManaged: boolean }) {
  const { t } = useLingui();
  const { id = 0, email, status, groups = [], creationDate, expiresAt, acceptedAt } = invitation;
  const [isRemoving, setRemoving] = useState(false);
  const removal = useDeleteInvitation();
  const known = ofMember(STATUS, status);
  const name = email || t`Anyone with the link`;
  const isOpen = status === "INVITATION_STATUS_OPEN";
  return (
    <Row
      name={name}
      badges={
        <>
          {known && <Badge tone={known.tone}>{t(known.label)}</Badge>}
          <Badge tone="neutral">{t(roleLabel(invitation))}</Badge>
        </>
      }
      facts={[
        groups.length > 0 && t`Groups: ${groups.join(", ")}`,
        t`Created ${formatTimestamp(creationDate)}`,
        acceptedAt ? t`Accepted ${formatTimestamp(acceptedAt)}` : t`Expires ${formatTimestamp(expiresAt)}`,
        status === "INVITATION_STATUS_SUSPENDED" && t`Its creator is no longer a superadmin`,
      ]}
      actions={
        isManaged && (
          <IconButton label={t`Remove the invitation of ${name}`} onClick={() => setRemoving(true)}>
            <Trash2 size={16} />
          </IconButton>
        )
      }
    >
      {isRemoving && (
        <ConfirmDialog
          title={t`Remove this invitation?`}
          text={isOpen ? t`Its link stops working immediately.` : t`It is removed from the list. An account that was created with it stays.`}
          action={t`Remove`}
          onConfirm={() => removal.mutateAsync(id)}
          onClose={() => setRemoving(false)}
        />
      )}
    </Row>
  );
}
