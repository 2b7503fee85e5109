import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useActivateEmbeddingModel, useDropEmbeddingIndex } from "@/data/embedding-models";
import type { EmbeddingModelJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { IndexProgress } from "./IndexProgress";

/** An embedding model with the state of its index, and what can be done with it. */
export function EmbeddingModelRow({ model }: { model: EmbeddingModelJson }) {
  const { t } = useLingui();
  const { id = 0, modelName: name = "", modelId = "", modelDimension = 0, status, standbyUntil } = model;
  const activate = useActivateEmbeddingModel();
  const drop = useDropEmbeddingIndex();
  const [isDropping, setDropping] = useState(false);
  const isBuilding = status === "EMBEDDING_MODEL_STATUS_BUILDING";
  const isKept = status === "EMBEDDING_MODEL_STATUS_STANDBY";
  return (
    <Row
      name={name}
      badges={
        <>
          {model.isActive && <Badge tone="accent">{t`Active`}</Badge>}
          {isBuilding && <Badge tone="warn">{t`Being filled`}</Badge>}
          {isKept && <Badge tone="neutral">{t`Kept`}</Badge>}
          {status === "EMBEDDING_MODEL_STATUS_DROPPING" && <Badge tone="neutral">{t`Being deleted`}</Badge>}
        </>
      }
      facts={[modelId, t`${modelDimension} dimensions`, isKept && t`kept until ${formatMoment(standbyUntil)}`]}
      actions={
        <>
          {(status === "EMBEDDING_MODEL_STATUS_IDLE" || isKept) && (
            <Button disabled={activate.isPending} onClick={() => activate.mutate({ id })}>
              {isKept ? <Trans>Switch back</Trans> : <Trans>Activate</Trans>}
            </Button>
          )}
          {(isBuilding || isKept) && (
            <Button onClick={() => setDropping(true)}>{isBuilding ? <Trans>Stop</Trans> : <Trans>Delete index</Trans>}</Button>
          )}
        </>
      }
    >
      {isBuilding && <IndexProgress id={id} onActivate={(withoutFailed) => activate.mutate({ id, withoutFailed })} />}
      {activate.error && <Notice tone="danger">{activate.error.message}</Notice>}
      {isDropping && (
        <ConfirmDialog
          title={t`Delete the index of ${name}?`}
          text={t`The active model is not affected. To use ${name} later, its index is filled again.`}
          action={t`Delete index`}
          onConfirm={() => drop.mutateAsync(id)}
          onClose={() => setDropping(false)}
        />
      )}
    </Row>
  );
}
