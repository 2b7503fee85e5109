import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useId, useRef } from "react";
import { useOfferedModels } from "@/data/llms";
import type { LlmProviderJson } from "@/gen/echomind/public/v1/llm_pb";
import { TextField } from "@/ui/Field";

interface ModelNameFieldProps {
  provider: LlmProviderJson;
  endpoint: string;
  apiKey: string;
  /** The stored model whose key is used if none is given. */
  id?: number;
  /** Whether enough is known to ask the server. */
  canAsk: boolean;
  placeholder?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** The name of a model: one of those that its server offers, which is asked once somebody comes to the field, or another. */
export function ModelNameField({ provider, endpoint, apiKey, id = 0, canAsk, placeholder, value, onChange }: ModelNameFieldProps) {
  const { t } = useLingui();
  const listId = useId();
  const offered = useOfferedModels();
  const asked = useRef("");
  const server = { provider, endpoint, apiKey, id };
  const ask = () => {
    const now = JSON.stringify(server);
    if (!canAsk || asked.current === now) return;
    asked.current = now;
    offered.mutate(server);
  };
  const names = offered.data?.modelIds ?? [];
  const hint = () => {
    if (offered.isPending) return t`Asking the server for its models …`;
    if (names.length > 0) return plural(names.length, { one: "The server offers # model. Choose it, or enter a name.", other: "The server offers # models. Choose one, or enter a name." });
    if (offered.data ?? offered.error) return t`The server did not list its models. Enter the name by hand.`;
    return undefined;
  };
  return (
    <>
      <TextField
        label={t`Model`}
        required
        maxLength={255}
        autoComplete="off"
        list={listId}
        placeholder={placeholder}
        hint={hint()}
        value={value}
        onFocus={ask}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
