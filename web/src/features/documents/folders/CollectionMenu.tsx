import { useLingui } from "@lingui/react/macro";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteCollection, useUpdateCollection } from "@/data/collections";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { MenuItem } from "@/ui/Menu";
import { CollectionDialog } from "./CollectionDialog";

/** Actions of a collection. */
export function CollectionMenu({ connector }: { connector: ConnectorJson }) {
  const { t } = useLingui();
  const { id = 0, name = "" } = connector;
  const [dialog, setDialog] = useState<"edit" | "delete">();
  const update = useUpdateCollection(id);
  const removal = useDeleteCollection(id);
  const close = () => setDialog(undefined);
  return (
    <>
      <ActionsMenu label={t`Actions for the collection ${name}`} size={15}>
        <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
          {t`Rename, change visibility`}
        </MenuItem>
        <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("delete")}>
          {t`Delete collection`}
        </MenuItem>
      </ActionsMenu>
      {dialog === "edit" && (
        <CollectionDialog title={t`Edit collection`} action={t`Save`} connector={connector} onSubmit={update.mutateAsync} onClose={close} />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Delete the collection “${name}”?`}
          text={t`All its documents are deleted. Answers that cite them keep their quotes.`}
          action={t`Delete collection`}
          name={name}
          onConfirm={() => removal.mutateAsync()}
          onClose={close}
        />
      )}
    </>
  );
}
