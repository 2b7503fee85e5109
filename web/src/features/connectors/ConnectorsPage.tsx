import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { serverWords } from "@/api/error-words";
import { countOf, countsByConnectorQuery } from "@/data/connector-counts";
import { useCreateCollection } from "@/data/collections";
import { connectorsQuery, useReaders } from "@/data/connectors";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { formatMoment } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { CollectionDialog } from "./connector/CollectionDialog";
import { ConnectorStatus } from "./connector/ConnectorStatus";
import { typeLabel } from "./connector/labels";

/** Sources: the collections and connectors that the reader may read. */
export function ConnectorsPage() {
  const { t } = useLingui();
  const readersOf = useReaders();
  const [, navigate] = useLocation();
  const { data: connectors, error, refetch } = useQuery(connectorsQuery);
  const { data: counts } = useQuery(countsByConnectorQuery);
  const creation = useCreateCollection();
  const [isCreating, setCreating] = useState(false);
  const facts = ({ id, type, lastSyncAt, pausedAt, statusMessage, ...connector }: ConnectorJson) => [
    t(typeLabel(type)),
    t`Visible to: ${readersOf(connector)}`,
    counts && t`Documents: ${countOf(counts, String(id))}`,
    pausedAt && t`Paused`,
    lastSyncAt && t`Last sync ${formatMoment(lastSyncAt)}`,
    statusMessage && serverWords(statusMessage),
  ];
  return (
    <Page
      title={t`Connectors`}
      description={t`Where documents come from. A collection decides who may read the documents in it.`}
      actions={
        <>
          <Button onClick={() => setCreating(true)}>
            <Plus size={16} /> <Trans>New collection</Trans>
          </Button>
          <Button variant="primary" onClick={() => navigate("/sources/new")}>
            <Plus size={16} /> <Trans>Add connector</Trans>
          </Button>
        </>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!connectors} label={t`Loading connectors`} />
      {connectors && (
        <Rows label={t`Connectors`} whenEmpty={t`There is no collection yet. Create one, or upload a file.`}>
          {connectors.map((connector) => (
            <Row
              key={connector.id}
              name={connector.name ?? ""}
              href={`/sources/${connector.id}`}
              badges={<ConnectorStatus connector={connector} />}
              facts={facts(connector)}
            />
          ))}
        </Rows>
      )}
      {isCreating && <CollectionDialog onSave={(values) => creation.mutateAsync(values)} onClose={() => setCreating(false)} />}
    </Page>
  );
}
