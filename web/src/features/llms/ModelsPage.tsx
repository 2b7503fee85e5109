import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { llmsQuery } from "@/data/llms";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { ConnectModelDialog } from "./ConnectModelDialog";
import { EmbeddingModels } from "./embedding/EmbeddingModels";
import { ModelRow } from "./models/ModelRow";
import { Rerankers } from "./reranker/Rerankers";

/** The list of chat models. */
export function ModelsPage() {
  const { t } = useLingui();
  const { data: llms, error, refetch } = useQuery(llmsQuery);
  const [isConnecting, setConnecting] = useState(false);
  return (
    <Page
      title={t`Models`}
      section={t`Administration`}
      description={t`Assistants answer with the default model unless they name another one.`}
      actions={
        <Button variant="primary" onClick={() => setConnecting(true)}>
          <Plus size={16} /> <Trans>Connect a model</Trans>
        </Button>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!llms} label={t`Loading models`} />
      {llms && (
        <Rows label={t`Models`}>
          {llms.map((llm) => (
            <ModelRow key={llm.id} llm={llm} />
          ))}
        </Rows>
      )}
      <EmbeddingModels />
      <Rerankers />
      {isConnecting && <ConnectModelDialog onClose={() => setConnecting(false)} />}
    </Page>
  );
}
