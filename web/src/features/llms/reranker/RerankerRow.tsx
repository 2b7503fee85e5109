import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { useDeleteReranker, useSaveReranker, useTestReranker } from "@/data/rerankers";
import type { RerankerJson } from "@/gen/echomind/public/v1/reranker_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatNumber } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { ModelMenu } from "../ModelMenu";
import { RerankerDialog } from "./RerankerDialog";

/** A reranker, and what can be done with it. */
export function RerankerRow({ reranker }: { reranker: RerankerJson }) {
  const { t } = useLingui();
  const { id = 0, name = "", modelId = "", endpoint = "", candidates = 0, timeoutMs = 0, isActive = false } = reranker;
  const save = useSaveReranker();
  const test = useTestReranker();
  const removal = useDeleteReranker();
  const [opened, setOpened] = useState<"edit" | "remove">();
  const close = () => setOpened(undefined);
  return (
    <Row
      name={name}
      badges={isActive && <Badge tone="accent">{t`Active`}</Badge>}
      facts={[
        modelId !== name && modelId,
        endpoint,
        reranker.hasApiKey ? t`API key stored` : t`No API key`,
        t`compares ${formatNumber(candidates)} passages in at most ${formatNumber(timeoutMs)} ms`,
      ]}
      actions={
        <>
          <Button disabled={save.isPending} onClick={() => save.mutate({ id, isActive: !isActive })}>
            {save.isPending && <Spinner />}
            {isActive ? <Trans>Deactivate</Trans> : <Trans>Activate</Trans>}
          </Button>
          <ModelMenu
            name={name}
            isTesting={test.isPending}
            onTest={() => test.mutate(id)}
            onEdit={() => setOpened("edit")}
            onRemove={() => setOpened("remove")}
          />
        </>
      }
    >
      {test.isPending && <Spinner label={t`Testing ${name}`} />}
      {test.data && <Notice tone={test.data.ok ? "info" : "danger"}>{serverWords(test.data.message)}</Notice>}
      {test.error && <Notice tone="danger">{test.error.message}</Notice>}
      {save.error && <Notice tone="danger">{save.error.message}</Notice>}
      {opened === "edit" && <RerankerDialog reranker={reranker} onClose={close} />}
      {opened === "remove" && (
        <ConfirmDialog
          title={t`Remove ${name}?`}
          text={t`Its API key is deleted.`}
          action={t`Remove`}
          onConfirm={() => removal.mutateAsync(id)}
          onClose={close}
        />
      )}
    </Row>
  );
}
