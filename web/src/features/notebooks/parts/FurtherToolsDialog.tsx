import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { assistantsQuery, notebookToolsQuery } from "@/data/assistants";
import { useSetTools } from "@/data/notebooks";
import { CheckField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { QueryView } from "@/ui/QueryView";
import styles from "../notebooks.module.css";
import { choicesOf } from "./tool-choices";
import { useFurtherToolLabel } from "./tool-labels";

interface FurtherToolsDialogProps {
  id: string;
  allowed: readonly string[];
  onClose: () => void;
}

/** Chooses the tools that answers in a notebook may use besides its sources, among those of the reader's assistants. */
export function FurtherToolsDialog({ id, allowed, onClose }: FurtherToolsDialogProps) {
  const { t } = useLingui();
  const label = useFurtherToolLabel();
  const [names, setNames] = useState(allowed);
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const assistantIds = assistants.map((assistant) => assistant.id ?? 0);
  const { data: tools, error, refetch } = useQuery({ ...notebookToolsQuery(assistantIds), enabled: assistantIds.length > 0 });
  const save = useSetTools(id);
  const toggle = (name: string, isAllowed: boolean) =>
    setNames((before) => [...before.filter((one) => one !== name), ...(isAllowed ? [name] : [])]);
  const choices = tools ? choicesOf(tools, allowed) : [];
  return (
    <FormDialog
      title={t`Further tools`}
      action={t`Save`}
      isReady={tools !== undefined}
      onSubmit={() => save.mutateAsync([...names])}
      onClose={onClose}
    >
      <p className={styles.about}>
        <Trans>
          Without them, answers use the sources of this notebook alone. A tool sends out what it is asked for, which may contain
          words of the sources. Members use it only with an assistant that has it.
        </Trans>
      </p>
      <QueryView error={error} onRetry={refetch} isPending={!tools} label={t`Loading tools`} />
      {tools && choices.length === 0 && (
        <p className={styles.empty}>
          <Trans>No assistant that you can use has such a tool.</Trans>
        </p>
      )}
      {choices.map(({ name, about }) => {
        const isCovered = names.some((one) => one !== name && one.endsWith("*") && name.startsWith(one.slice(0, -1)));
        return (
          <CheckField
            key={name}
            label={label(name)}
            {...(about && { hint: serverWords(about) })}
            checked={isCovered || names.includes(name)}
            disabled={isCovered}
            onChange={(isAllowed) => toggle(name, isAllowed)}
          />
        );
      })}
    </FormDialog>
  );
}
