import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSaveEmbeddingModel } from "@/data/embedding-models";
import type { EmbeddingModelJson, EmbeddingProtocolJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { ServerFields } from "../ServerFields";
import { PROTOCOLS } from "./protocols";
import styles from "../ConnectModelForm.module.css";

interface EmbeddingModelDialogProps {
  /** The model to change; a new one without it. */
  model?: EmbeddingModelJson;
  onClose: () => void;
}

/** Adds an embedding model of a server, or changes one; the server tests it before it is stored. */
export function EmbeddingModelDialog({ model, onClose }: EmbeddingModelDialogProps) {
  const { t } = useLingui();
  const saving = useSaveEmbeddingModel();
  const [protocol, setProtocol] = useState<EmbeddingProtocolJson>(model?.protocol ?? "EMBEDDING_PROTOCOL_OPENAI");
  const [values, setValues] = useState({
    modelId: model?.modelId ?? "",
    modelName: model?.modelName ?? "",
    endpoint: model?.endpoint ?? "",
    apiKey: "",
    queryPrefix: model?.queryPrefix ?? "",
    passagePrefix: model?.passagePrefix ?? "",
  });
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) => {
    setValues({ ...values, [name]: event.target.value });
  };
  const { modelId, modelName, endpoint, apiKey, queryPrefix, passagePrefix } = values;
  const canHavePrefixes = !model || model.status === "EMBEDDING_MODEL_STATUS_IDLE";
  const submit = () => {
    const common = {
      modelName: modelName.trim() || modelId.trim(),
      endpoint: endpoint.trim(),
      ...((!model || apiKey) && { apiKey }),
      ...(canHavePrefixes && { queryPrefix, passagePrefix }),
    };
    return saving.mutateAsync(model ? { id: model.id, ...common } : { modelId: modelId.trim(), protocol, ...common });
  };
  const known = PROTOCOLS.find(({ value }) => value === protocol);
  return (
    <FormDialog
      title={model ? t`Change the embedding model` : t`Add an embedding model`}
      action={saving.isPending ? t`Testing the model…` : model ? t`Save` : t`Add`}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className={styles.intro}>
        <Trans>
          Every passage and every question is sent to its server. EchoMind tests the model first: it finds the dimensions of its
          vectors and the languages that it serves.
        </Trans>
      </p>
      <ServerFields
        protocols={PROTOCOLS}
        protocol={protocol}
        onProtocol={model ? undefined : setProtocol}
        endpoint={endpoint}
        onEndpoint={set("endpoint")}
        apiKey={apiKey}
        onApiKey={set("apiKey")}
        hasApiKey={model?.hasApiKey}
      />
      {!model && <TextField label={t`Model name at the server`} required maxLength={255} placeholder={known?.modelExample} value={modelId} onChange={set("modelId")} />}
      <TextField label={t`Display name`} required={!!model} maxLength={255} placeholder={modelId} value={modelName} onChange={set("modelName")} />
      {canHavePrefixes && (
        <>
          <TextField
            label={t`Text before a question`}
            placeholder="query: "
            hint={t`Some models expect one, see their description. A space at its end counts.`}
            maxLength={1000}
            value={queryPrefix}
            onChange={set("queryPrefix")}
          />
          <TextField label={t`Text before a passage`} placeholder="passage: " maxLength={1000} value={passagePrefix} onChange={set("passagePrefix")} />
        </>
      )}
    </FormDialog>
  );
}
