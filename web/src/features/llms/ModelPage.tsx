import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { llmQuery } from "@/data/llms";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { ModelEditor } from "./models/ModelEditor";

/** A chat model: what it is, how it is reached, what it costs, and who uses it. */
export function ModelPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: llm, error, refetch } = useQuery(llmQuery(Number(id)));
  return (
    <Page title={llm?.name ?? t`Model`} section={t`Administration`} parents={[{ href: "/admin/models", label: t`Models` }]}>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!llm && !error && <Spinner label={t`Loading the model`} />}
      {llm && <ModelEditor key={llm.id} llm={llm} />}
    </Page>
  );
}
