import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { llmQuery } from "@/data/llms";
import { LastChange } from "@/ui/LastChange";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { ModelEditor } from "./models/ModelEditor";
import { ModelRow } from "./models/ModelRow";
import { ModelUse } from "./models/ModelUse";

/** A chat model: its settings, connection, prices and use. The built-in one has no settings. */
export function ModelPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: llm, error, refetch } = useQuery(llmQuery(Number(id)));
  const isBuiltIn = llm?.provider === "LLM_PROVIDER_EXTRACTIVE";
  return (
    <Page title={llm?.name ?? t`Model`} section={t`Administration`} parents={[{ href: "/admin/models", label: t`Models` }]}>
      <QueryView error={error} onRetry={refetch} isPending={!llm} label={t`Loading the model`} />
      {llm && isBuiltIn && (
        <>
          <Rows label={t`Model`}>
            <ModelRow llm={llm} />
          </Rows>
          <ModelUse llm={llm} />
        </>
      )}
      {llm && !isBuiltIn && <ModelEditor key={llm.id} llm={llm} />}
      {llm && <LastChange item={llm} isSentence />}
    </Page>
  );
}
