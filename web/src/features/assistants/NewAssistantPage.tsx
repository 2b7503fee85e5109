import { useLingui } from "@lingui/react/macro";
import { Page } from "@/ui/Page";
import { AssistantEditor } from "./editor/AssistantEditor";

const BLANK = { isVisible: true };

/** A new assistant, to be tried before it is created. */
export function NewAssistantPage() {
  const { t } = useLingui();
  return (
    <Page title={t`New assistant`} parents={[{ href: "/assistants", label: t`Assistants` }]}>
      <AssistantEditor assistant={BLANK} />
    </Page>
  );
}
