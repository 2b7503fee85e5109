import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { scimClientsQuery } from "@/data/scim-clients";
import { Button } from "@/ui/Button";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { AddScimClientDialog } from "./AddScimClientDialog";
import { ScimClientRow } from "./ScimClientRow";
import styles from "./ScimClients.module.css";

/** The identity systems that maintain accounts and groups. */
export function ScimClients() {
  const { t } = useLingui();
  const { data: clients, error, refetch } = useQuery(scimClientsQuery);
  const [isAdding, setAdding] = useState(false);
  return (
    <section className={styles.section} aria-labelledby="scim">
      <div className={styles.heading}>
        <div className={styles.titles}>
          <h2 id="scim">
            <Trans>Automatic accounts (SCIM)</Trans>
          </h2>
          <p>
            <Trans>Identity systems that create, change and deactivate accounts and groups. Each sees only its own, and gives no roles.</Trans>
          </p>
        </div>
        <Button onClick={() => setAdding(true)}>
          <Plus size={16} /> <Trans>Add a client</Trans>
        </Button>
      </div>
      <QueryView error={error} onRetry={refetch} isPending={!clients} label={t`Loading`} />
      {clients && (
        <Rows label={t`SCIM clients`} whenEmpty={t`No identity system maintains accounts: people get one at their first sign-in, or by invitation.`}>
          {clients.map((client) => (
            <ScimClientRow key={client.id} client={client} />
          ))}
        </Rows>
      )}
      {isAdding && <AddScimClientDialog onClose={() => setAdding(false)} />}
    </section>
  );
}
