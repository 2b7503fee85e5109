import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { assistantsQuery } from "@/data/assistants";
import { useSaveLlm } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";

/** The assistants that use a chat model; for the default model, including assistants without one. */
export function ModelUse({ llm: { id = 0, isDefault = false, isActive = false } }: { llm: LlmJson }) {
  const { data: assistants } = useQuery(assistantsQuery);
  const save = useSaveLlm();
  if (!assistants) return null;
  const using = assistants.filter(({ llmId = 0 }) => llmId === id || (isDefault && llmId === 0));
  return (
    <div>
      <p>
        {isDefault ? (
          <Trans>This is the default model: assistants that name no other answer with it.</Trans>
        ) : (
          <Plural value={using.length} _0="No assistant names it." one="# assistant names it:" other="# assistants name it:" />
        )}
      </p>
      {using.length > 0 && (
        <ul>
          {using.map((assistant) => (
            <li key={assistant.id}>
              <Link href={`/assistants/${assistant.id}`}>{assistant.name}</Link>
            </li>
          ))}
        </ul>
      )}
      {!isDefault && isActive && (
        <Button size="sm" disabled={save.isPending} onClick={() => save.mutate({ id, isDefault: true })}>
          <Trans>Make default</Trans>
        </Button>
      )}
      {save.error && <Notice tone="danger">{save.error.message}</Notice>}
    </div>
  );
}
