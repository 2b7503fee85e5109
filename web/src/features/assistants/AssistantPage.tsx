import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { assistantQuery } from "@/data/assistants";
import { LastChange } from "@/ui/LastChange";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { AssistantEditor } from "./editor/AssistantEditor";

/** An assistant to change and to try. */
export function AssistantPage({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: assistant, error, refetch } = useQuery(assistantQuery(Number(id)));
  return (
    <Page title={assistant?.name ?? t`Assistant`} parents={[{ href: "/assistants", label: t`Assistants` }]}>
      <QueryView error={error} onRetry={refetch} isPending={!assistant} label={t`Loading the assistant`} />
      {assistant && <AssistantEditor key={assistant.id} assistant={assistant} />}
      {assistant && <LastChange item={assistant} isSentence />}
    </Page>
  );
}
