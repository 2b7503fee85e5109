import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectorsQuery, mayManage, useReaders } from "@/data/connectors";
import { useMoveDocuments } from "@/data/documents";
import { useCurrentUser } from "@/data/users";
import type { DocumentSelectionJson } from "@/gen/echomind/public/v1/document_pb";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { Notice } from "@/ui/Notice";
import { showToast } from "@/ui/toasts";
import { changedMessage } from "./messages";

interface MoveDialogProps {
  selection: DocumentSelectionJson;
  /** Description of the moved items. */
  what: string;
  /** Its current collection, if it is one. */
  from?: number | undefined;
  onClose: () => void;
  onDone?: () => void;
}

/** Asks for another collection, which also determines the documents' visibility. */
export function MoveDialog({ selection, what, from, onClose, onDone }: MoveDialogProps) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const user = useCurrentUser();
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const targets = connectors.filter((one) => one.type === "CONNECTOR_TYPE_FILE" && one.id !== from && mayManage(user, one));
  const [chosen, setChosen] = useState("");
  const target = targets.find(({ id }) => String(id) === chosen) ?? targets[0];
  const move = useMoveDocuments();
  const submit = async () => {
    const { documents = "0", inBackground = false } = await move.mutateAsync({ selection, connectorId: target?.id ?? 0 });
    showToast({ message: changedMessage("move", Number(documents), inBackground) });
    onDone?.();
  };
  const readers = readersOf(target);
  return (
    <FormDialog title={t`Move ${what}`} action={t`Move`} isReady={target !== undefined} onSubmit={submit} onClose={onClose}>
      {target ? (
        <SelectField
          label={t`Collection`}
          value={String(target.id)}
          options={targets.map((one) => ({ value: String(one.id), label: `${one.name ?? ""} · ${readersOf(one)}` }))}
          hint={t`From then on visible to: ${readers}. Files whose path is taken there stay where they are.`}
          onChange={setChosen}
        />
      ) : (
        <Notice tone="info">{t`There is no other collection that you may change. Create one first.`}</Notice>
      )}
    </FormDialog>
  );
}
