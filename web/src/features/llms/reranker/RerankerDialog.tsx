import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSaveReranker } from "@/data/rerankers";
import type { RerankProtocolJson, RerankerJson } from "@/gen/echomind/public/v1/reranker_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { ServerFields } from "../ServerFields";
import { PROTOCOLS } from "./protocols";
import styles from "../ConnectModelForm.module.css";

interface RerankerDialogProps {
  /** The reranker to change; a new one without it. */
  reranker?: RerankerJson;
  onClose: () => void;
}

/** Adds a reranker of a server, or changes one. */
export function RerankerDialog({ reranker, onClose }: RerankerDialogProps) {
  const { t } = useLingui();
  const saving = useSaveReranker();
  const [protocol, setProtocol] = useState<RerankProtocolJson>(reranker?.protocol ?? "RERANK_PROTOCOL_TEI");
  const [values, setValues] = useState({
    modelId: reranker?.modelId ?? "",
    name: reranker?.name ?? "",
    endpoint: reranker?.endpoint ?? "",
    apiKey: "",
    candidates: String(reranker?.candidates ?? 30),
    timeoutMs: String(reranker?.timeoutMs ?? 1500),
  });
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) => {
    setValues({ ...values, [name]: event.target.value });
  };
  const { modelId, name, endpoint, apiKey, candidates, timeoutMs } = values;
  const submit = () =>
    saving.mutateAsync({
      ...(reranker && { id: reranker.id }),
      name: name.trim() || modelId.trim(),
      modelId: modelId.trim(),
      protocol,
      endpoint: endpoint.trim(),
      candidates: Number(candidates),
      timeoutMs: Number(timeoutMs),
      ...((!reranker || apiKey) && { apiKey }),
    });
  const known = PROTOCOLS.find(({ value }) => value === protocol);
  return (
    <FormDialog
      title={reranker ? t`Change the reranker` : t`Add a reranker`}
      action={reranker ? t`Save` : t`Add`}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className={styles.intro}>
        <Trans>While it is active, every question and the passages that a search has found are sent to its server.</Trans>
      </p>
      <ServerFields
        protocols={PROTOCOLS}
        protocol={protocol}
        onProtocol={setProtocol}
        endpoint={endpoint}
        onEndpoint={set("endpoint")}
        apiKey={apiKey}
        onApiKey={set("apiKey")}
        hasApiKey={reranker?.hasApiKey}
      />
      <TextField label={t`Model name at the server`} required maxLength={255} placeholder={known?.modelExample} value={modelId} onChange={set("modelId")} />
      <TextField label={t`Display name`} required={!!reranker} maxLength={255} placeholder={modelId} value={name} onChange={set("name")} />
      <TextField
        label={t`Passages that it compares`}
        type="number"
        required
        min={1}
        max={200}
        hint={t`The best ones of each search. More are better and slower.`}
        value={candidates}
        onChange={set("candidates")}
      />
      <TextField
        label={t`Time limit in milliseconds`}
        type="number"
        required
        min={1}
        max={30000}
        hint={t`After it, the passages stay in the search's own order.`}
        value={timeoutMs}
        onChange={set("timeoutMs")}
      />
    </FormDialog>
  );
}
