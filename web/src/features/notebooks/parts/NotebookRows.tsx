import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useNotebookEnd } from "@/data/notebooks";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Row, Rows } from "@/ui/Rows";
import { showFailure, showToast } from "@/ui/toasts";
import { roleLabel } from "./roles";

interface NotebookRowsProps {
  notebooks: readonly NotebookJson[];
  /** Whether they are removed and can be restored. */
  isRemoved: boolean;
  /** Whether the list shows everyone's: with owner and removal. */
  isEverybodys?: boolean;
  whenEmpty: string;
}

/** A list of notebooks with their actions. */
export function NotebookRows({ notebooks, isRemoved, isEverybodys = false, whenEmpty }: NotebookRowsProps) {
  const { t } = useLingui();
  const [purged, setPurged] = useState<{ id: string; title: string }>();
  const end = useNotebookEnd();
  const restore = (id: string, title: string) =>
    end.mutate({ id, end: "restore" }, { onError: showFailure, onSuccess: () => showToast({ message: t`Restored ${title}.` }) });
  const remove = (id: string, title: string) => {
    const undo = { label: t`Undo`, run: () => restore(id, title) };
    end.mutate({ id, end: "remove" }, { onError: showFailure, onSuccess: () => showToast({ message: t`Removed ${title}.`, action: undo }) });
  };
  return (
    <>
      <Rows label={t`Notebooks`} whenEmpty={whenEmpty}>
        {notebooks.map(({ id = "", title = "", description, userName, role, sourceCount = 0, memberCount = 0, sessionCount = 0, deletedDate }) => (
          <Row
            key={id}
            name={title}
            href={isRemoved ? undefined : `/notebooks/${id}`}
            badges={!isEverybodys && role && role !== "NOTEBOOK_ROLE_OWNER" && <Badge tone="neutral">{t(roleLabel(role))}</Badge>}
            facts={[
              isEverybodys && userName,
              description,
              plural(sourceCount, { one: "# source", other: "# sources" }),
              plural(sessionCount, { one: "# conversation", other: "# conversations" }),
              memberCount > 1 && plural(memberCount, { one: "# member", other: "# members" }),
              deletedDate && t`removed ${formatMoment(deletedDate)}`,
            ]}
            actions={
              <>
                {isEverybodys && !isRemoved && (
                  <Button size="sm" onClick={() => remove(id, title)}>
                    <Trans>Remove</Trans>
                  </Button>
                )}
                {isRemoved && (
                  <Button size="sm" onClick={() => restore(id, title)}>
                    <Trans>Restore</Trans>
                  </Button>
                )}
                {isRemoved && (
                  <Button size="sm" onClick={() => setPurged({ id, title })}>
                    <Trans>Delete permanently</Trans>
                  </Button>
                )}
              </>
            }
          />
        ))}
      </Rows>
      {purged && (
        <ConfirmDialog
          title={t`Delete ${purged.title} permanently?`}
          text={t`All its conversations are deleted, those of other members too. Documents stay. This cannot be undone.`}
          action={t`Delete permanently`}
          onConfirm={() => end.mutateAsync({ id: purged.id, end: "purge" })}
          onClose={() => setPurged(undefined)}
        />
      )}
    </>
  );
}
