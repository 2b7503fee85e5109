import { CheckCheck, Ellipsis, Pencil, Star, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteLlm, useSaveLlm, useTestLlm } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import type { TestLlmResponseJson } from "@/gen/echomind/public/v1/llm_service_pb";
import { Badge } from "@/ui/Badge";
import { IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatDuration } from "@/ui/format";
import { Menu, MenuItem, MenuSeparator } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { providerLabel } from "../providers";
import { EditModelDialog } from "./EditModelDialog";

/** A chat model in the list, with what one can do with it. */
export function ModelRow({ llm }: { llm: LlmJson }) {
  const { id = 0, name = "", provider, isDefault = false } = llm;
  const isBuiltIn = provider === "LLM_PROVIDER_EXTRACTIVE";
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const test = useTestLlm();
  const save = useSaveLlm();
  const removal = useDeleteLlm();
  const failure = test.error ?? save.error;
  const close = () => setDialog(undefined);
  return (
    <Row
      name={name}
      badges={
        <>
          {isDefault && <Badge tone="accent">Default</Badge>}
          {isBuiltIn && <Badge tone="neutral">Built-in</Badge>}
        </>
      }
      facts={isBuiltIn ? ["Quotes from documents instead of writing. Needs no key and no network."] : facts(llm)}
      actions={
        <Menu
          trigger={
            <IconButton label={`Actions for ${name}`}>
              <Ellipsis size={16} />
            </IconButton>
          }
        >
          <MenuItem icon={<CheckCheck size={15} />} isDisabled={test.isPending} onSelect={() => test.mutate(id)}>
            Test
          </MenuItem>
          {!isDefault && (
            <MenuItem icon={<Star size={15} />} onSelect={() => save.mutate({ id, isDefault: true })}>
              Make default
            </MenuItem>
          )}
          {!isBuiltIn && (
            <>
              <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("edit")}>
                Edit
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("remove")}>
                Remove
              </MenuItem>
            </>
          )}
        </Menu>
      }
    >
      {test.isPending && <Spinner label={`Testing ${name}`} />}
      {test.data && <TestResult result={test.data} />}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {dialog === "edit" && <EditModelDialog llm={{ ...llm, id }} onClose={close} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          text="Assistants that use it answer with the default model from now on. Its API key is deleted."
          action="Remove"
          onConfirm={() => removal.mutateAsync(id)}
          onClose={close}
        />
      )}
    </Row>
  );
}

function facts({ name, provider, modelId, endpoint, hasApiKey, contextTokens = 0 }: LlmJson) {
  return [
    providerLabel(provider),
    modelId !== name && modelId,
    endpoint,
    hasApiKey ? "API key stored" : "No API key",
    contextTokens > 0 && `Context window of ${contextTokens.toLocaleString()} tokens`,
  ];
}

function TestResult({ result: { ok, message, latencyMs = 0 } }: { result: TestLlmResponseJson }) {
  if (ok) return <Notice tone="info">It answered in {formatDuration(latencyMs)}.</Notice>;
  return <Notice tone="danger">{message || "The model did not answer."}</Notice>;
}
