import { Trans, useLingui } from "@lingui/react/macro";
import { Star } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSaveLlm, useTestLlm } from "@/data/llms";
import type { LlmJson } from "@/gen/echomind/public/v1/llm_pb";
import { Badge } from "@/ui/Badge";
import { formatNumber } from "@/ui/format";
import { MenuItem } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { ModelMenu } from "../ModelMenu";
import { providerHelp } from "../providers";
import { RemoveModelDialog } from "./RemoveModelDialog";
import { TestResult } from "./TestResult";

/** A chat model in the list with its actions. */
export function ModelRow({ llm }: { llm: LlmJson }) {
  const { t } = useLingui();
  const { id = 0, name = "", provider, isDefault = false, isActive = false, modelId, endpoint, contextTokens = 0 } = llm;
  const isBuiltIn = provider === "LLM_PROVIDER_EXTRACTIVE";
  const help = providerHelp(provider);
  const [, navigate] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const test = useTestLlm();
  const save = useSaveLlm();
  const failure = test.error ?? save.error;
  const href = `/admin/models/${id}`;
  const facts = isBuiltIn
    ? [t`Quotes from documents instead of writing. Needs no key and no network.`]
    : [
        help && t(help.label),
        modelId !== name && modelId,
        endpoint,
        llm.hasApiKey ? t`API key stored` : t`No API key`,
        contextTokens > 0 && t`Context window of ${formatNumber(contextTokens)} tokens`,
      ];
  return (
    <Row
      name={name}
      href={isBuiltIn ? undefined : href}
      badges={
        <>
          {isDefault && <Badge tone="accent">{t`Default`}</Badge>}
          {isBuiltIn && <Badge tone="neutral">{t`Built-in`}</Badge>}
          {!isActive && <Badge tone="warn">{t`Inactive`}</Badge>}
        </>
      }
      facts={facts}
      actions={
        <ModelMenu
          name={name}
          isTesting={test.isPending}
          onTest={() => test.mutate(id)}
          onEdit={isBuiltIn ? undefined : () => navigate(href)}
          onRemove={isBuiltIn ? undefined : () => setRemoving(true)}
        >
          {!isDefault && isActive && (
            <MenuItem icon={<Star size={15} />} onSelect={() => save.mutate({ id, isDefault: true })}>
              <Trans>Make default</Trans>
            </MenuItem>
          )}
        </ModelMenu>
      }
    >
      {test.isPending && <Spinner label={t`Testing ${name}`} />}
      {test.data && <TestResult result={test.data} />}
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {isRemoving && <RemoveModelDialog llm={llm} onClose={() => setRemoving(false)} />}
    </Row>
  );
}
