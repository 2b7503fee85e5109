import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Link } from "wouter";
import { assistantsQuery } from "@/data/assistants";
import { hasRole, useCurrentUser } from "@/data/users";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { AssistantRow } from "./list/AssistantRow";
import styles from "./list/AssistantRow.module.css";

/** The assistants that one may use; superadmins create and change them. */
export function AssistantsPage() {
  const { t } = useLingui();
  const { data: assistants, error, refetch } = useQuery(assistantsQuery);
  const isManaged = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  return (
    <Page
      title={t`Assistants`}
      description={t`Each has its own instructions, tools and limits. Choose one when you start a conversation.`}
      actions={
        isManaged && (
          <Link href="/assistants/new" className={styles.add}>
            <Plus size={16} /> <Trans>New assistant</Trans>
          </Link>
        )
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!assistants} label={t`Loading assistants`} />
      {assistants && (
        <Rows label={t`Assistants`} whenEmpty={t`No assistant is visible to you.`}>
          {assistants.map((assistant) => (
            <AssistantRow key={assistant.id} assistant={assistant} isManaged={isManaged} />
          ))}
        </Rows>
      )}
    </Page>
  );
}
