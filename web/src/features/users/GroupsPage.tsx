import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { groupName, groupsQuery } from "@/data/groups";
import { hasRole, useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { GroupDialog } from "./groups/GroupDialog";

/** The groups; each has its own page. */
export function GroupsPage() {
  const { t } = useLingui();
  const { data: groups, error, refetch } = useQuery(groupsQuery);
  const isManaged = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t`Groups`}
      section={t`Administration`}
      description={t`Members can read the documents that are shared with their group; people with the role admin among them manage these documents. Group admins add and remove members.`}
      actions={
        isManaged && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus size={16} /> <Trans>New group</Trans>
          </Button>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!groups} label={t`Loading`} />
      {groups && (
        <Rows label={t`Groups`} whenEmpty={t`There is no group yet. Create one to share documents with some people.`}>
          {groups.map(({ id = 0, name = "", displayName, description, memberCount = 0, connectorCount = 0, assistantCount = 0 }) => (
            <Row
              key={id}
              name={groupName({ name, ...(displayName && { displayName }) })}
              href={`/admin/groups/${id}`}
              facts={[
                displayName && displayName !== name && name,
                description,
                plural(memberCount, { one: "# member", other: "# members" }),
                connectorCount > 0 && plural(connectorCount, { one: "# connector shared with it", other: "# connectors shared with it" }),
                assistantCount > 0 && plural(assistantCount, { one: "# assistant shared with it", other: "# assistants shared with it" }),
              ]}
            />
          ))}
        </Rows>
      )}
      {isCreating && <GroupDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}
