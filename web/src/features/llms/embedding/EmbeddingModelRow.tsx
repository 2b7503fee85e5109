import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { useActivateEmbeddingModel, useDeleteEmbeddingModel, useDropEmbeddingIndex, useTestEmbeddingModel } from "@/data/embedding-models";
import type { EmbeddingModelJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatLanguage, formatMoment } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { ModelMenu } from "../ModelMenu";
import { EmbeddingModelDialog } from "./EmbeddingModelDialog";
import { IndexProgress } from "./IndexProgress";

/** More languages than these are not named. */
const NAMED_LANGUAGES = 3;

/** An embedding model with the state of its index, and what can be done with it. */
export function EmbeddingModelRow({ model }: { model: EmbeddingModelJson }) {
  const { t } = useLingui();
  const { id = 0, modelName: name = "", modelId = "", modelDimension = 0, endpoint = "", languages = [], status, standbyUntil } = model;
  const activate = useActivateEmbeddingModel();
  const drop = useDropEmbeddingIndex();
  const test = useTestEmbeddingModel();
  const removal = useDeleteEmbeddingModel();
  const [opened, setOpened] = useState<"drop" | "edit" | "remove">();
  const close = () => setOpened(undefined);
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
      facts={[
        modelId !== name && modelId,
        t`${modelDimension} dimensions`,
        endpoint,
        endpoint && (model.hasApiKey ? t`API key stored` : t`No API key`),
        endpoint && (languages.length > NAMED_LANGUAGES ? t`many languages` : languages.map(formatLanguage).join(", ")),
        isKept && t`kept until ${formatMoment(standbyUntil)}`,
      ]}
      actions={
        <>
          {(status === "EMBEDDING_MODEL_STATUS_IDLE" || isKept) && (
            <Button disabled={activate.isPending} onClick={() => activate.mutate({ id })}>
              {isKept ? <Trans>Switch back</Trans> : <Trans>Activate</Trans>}
            </Button>
          )}
          {(isBuilding || isKept) && (
            <Button onClick={() => setOpened("drop")}>{isBuilding ? <Trans>Stop</Trans> : <Trans>Delete index</Trans>}</Button>
          )}
          {endpoint && (
            <ModelMenu
              name={name}
              isTesting={test.isPending}
              onTest={() => test.mutate(id)}
              onEdit={() => setOpened("edit")}
              onRemove={status === "EMBEDDING_MODEL_STATUS_IDLE" ? () => setOpened("remove") : undefined}
            />
          )}
        </>
      }
    >
      {test.isPending && <Spinner label={t`Testing ${name}`} />}
      {test.data && <Notice tone={test.data.ok ? "info" : "danger"}>{serverWords(test.data.message)}</Notice>}
      {test.error && <Notice tone="danger">{test.error.message}</Notice>}
      {opened === "edit" && <EmbeddingModelDialog model={model} onClose={close} />}
      {opened === "remove" && (
        <ConfirmDialog
          title={t`Remove ${name}?`}
          text={t`Its API key is deleted.`}
          action={t`Remove`}
          onConfirm={() => removal.mutateAsync(id)}
          onClose={close}
        />
      )}
      {isBuilding && <IndexProgress id={id} onActivate={(withoutFailed) => activate.mutate({ id, withoutFailed })} />}
      {activate.error && <Notice tone="danger">{activate.error.message}</Notice>}
      {opened === "drop" && (
        <ConfirmDialog
          title={t`Delete the index of ${name}?`}
          text={t`The active model is not affected. To use ${name} later, its index is filled again.`}
          action={t`Delete index`}
          onConfirm={() => drop.mutateAsync(id)}
          onClose={close}
        />
      )}
    </Row>
  );
}
