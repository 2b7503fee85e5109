import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { hasRole, useCurrentUser, usersQuery } from "@/data/users";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Rows } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { InviteDialog } from "./people/InviteDialog";
import { UserRow } from "./people/UserRow";

/** The accounts: who has one, and with what role; superadmins invite and change. */
export function PeoplePage() {
  const { data: users, error, refetch } = useQuery(usersQuery);
  const isManaged = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [isInviting, setInviting] = useState(false);
  return (
    <Page
      title="People"
      section="Administration"
      description="Everyone who has an account."
      actions={
        isManaged && (
          <Button variant="primary" onClick={() => setInviting(true)}>
            <UserPlus size={16} /> Invite
          </Button>
        )
      }
    >
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!users && !error && <Spinner label="Loading people" />}
      {users && (
        <Rows label="People">
          {users.map((user) => (
            <UserRow key={user.id} user={user} isManaged={isManaged} />
          ))}
        </Rows>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}
