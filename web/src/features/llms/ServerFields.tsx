import type { MessageDescriptor } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import { SelectField, TextField } from "@/ui/Field";

/** A protocol that servers of models speak, with examples for its form. */
export interface ProtocolHelp<Protocol extends string> {
  value: Protocol;
  label: MessageDescriptor;
  endpointExample: string;
  modelExample: string;
}

interface ServerFieldsProps<Protocol extends string> {
  protocols: readonly ProtocolHelp<Protocol>[];
  protocol: Protocol;
  /** Absent where the protocol cannot be changed. */
  onProtocol?: (protocol: Protocol) => void;
  endpoint: string;
  onEndpoint: (event: { target: { value: string } }) => void;
  apiKey: string;
  onApiKey: (event: { target: { value: string } }) => void;
  hasApiKey?: boolean;
}

/** The fields of a form that say where the server of a model is. */
export function ServerFields<Protocol extends string>(props: ServerFieldsProps<Protocol>) {
  const { protocols, protocol, onProtocol, endpoint, onEndpoint, apiKey, onApiKey, hasApiKey = false } = props;
  const { t } = useLingui();
  return (
    <>
      {onProtocol && (
        <SelectField
          label={t`Protocol`}
          value={protocol}
          options={protocols.map(({ value, label }) => ({ value, label: t(label) }))}
          onChange={(value) => onProtocol(value as Protocol)}
        />
      )}
      <TextField
        label={t`Endpoint URL`}
        type="url"
        required
        placeholder={protocols.find(({ value }) => value === protocol)?.endpointExample}
        value={endpoint}
        onChange={onEndpoint}
      />
      <TextField
        label={t`API key (if the server asks for one)`}
        type="password"
        autoComplete="off"
        hint={hasApiKey ? t`Leave blank to keep the stored key.` : t`Stored encrypted; never shown again.`}
        value={apiKey}
        onChange={onApiKey}
      />
    </>
  );
}
