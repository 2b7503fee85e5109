import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Copy, MessageSquarePlus, Pencil, Star, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { llmOf, useDuplicateAssistant, useSaveAssistant } from "@/data/assistants";
import { llmsQuery } from "@/data/llms";
import { useCurrentUser, useUpdateCurrentUser } from "@/data/users";
import type { AssistantJson } from "@/gen/echomind/public/v1/assistant_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { Badge } from "@/ui/Badge";
import { MenuItem, MenuSeparator } from "@/ui/Menu";
import { Row } from "@/ui/Rows";
import { showFailure, showToast } from "@/ui/toasts";
import { RemoveAssistantDialog } from "./RemoveAssistantDialog";

/** The description that EchoMind gives the assistant that every installation begins with. */
const SEEDED = "Answers from your documents, with sources.";

/** An assistant in the list with its actions. */
export function AssistantRow({ assistant, isManaged }: { assistant: AssistantJson; isManaged: boolean }) {
  const { t } = useLingui();
  const { id = 0, name = "", description, isDefault = false, isVisible = false, groups = [], config } = assistant;
  const [, navigate] = useLocation();
  const { data: llms = [] } = useQuery(llmsQuery);
  const user = useCurrentUser();
  const update = useUpdateCurrentUser();
  const saving = useSaveAssistant();
  const copying = useDuplicateAssistant();
  const [isRemoving, setRemoving] = useState(false);
  const href = `/assistants/${id}`;
  const servers = config?.mcpServers?.length ?? 0;
  const isMine = user.preferences?.defaultAssistantId === id;
  const prefer = () =>
    update.mutate(
      { preferences: { ...user.preferences, defaultAssistantId: isMine ? 0 : id } },
      { onSuccess: () => showToast({ message: isMine ? t`New conversations use the default assistant.` : t`New conversations use ${name}.` }), onError: showFailure },
    );
  const copy = () =>
    copying.mutate(
      { id, name: t`Copy of ${name}` },
      { onSuccess: ({ id: made }) => navigate(`/assistants/${made}`), onError: showFailure },
    );
  return (
    <Row
      name={name}
      href={isManaged ? href : undefined}
      badges={
        <>
          {isDefault && <Badge tone="accent">{t`Default`}</Badge>}
          {isMine && <Badge tone="accent">{t`Your default`}</Badge>}
          {!isVisible && <Badge tone="warn">{t`Hidden`}</Badge>}
          {isVisible && groups.length > 0 && <Badge tone="neutral">{groups.join(", ")}</Badge>}
        </>
      }
      facts={[description === SEEDED ? t`Answers from your documents, with sources.` : description, llmOf(assistant, llms)?.name, servers > 0 && t`MCP servers: ${servers}`]}
      actions={
        <ActionsMenu label={t`Actions for ${name}`}>
          <MenuItem icon={<MessageSquarePlus size={15} />} onSelect={prefer}>
            {isMine ? t`Use the default for new conversations` : t`Use for new conversations`}
          </MenuItem>
          {isManaged && (
            <>
              <MenuItem icon={<Pencil size={15} />} onSelect={() => navigate(href)}>
                <Trans>Edit</Trans>
              </MenuItem>
              <MenuItem icon={<Copy size={15} />} isDisabled={copying.isPending} onSelect={copy}>
                <Trans>Duplicate</Trans>
              </MenuItem>
              {!isDefault && isVisible && groups.length === 0 && (
                <MenuItem icon={<Star size={15} />} onSelect={() => saving.mutate({ id, isDefault: true }, { onError: showFailure })}>
                  <Trans>Make default</Trans>
                </MenuItem>
              )}
              {!isDefault && (
                <>
                  <MenuSeparator />
                  <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setRemoving(true)}>
                    <Trans>Remove</Trans>
                  </MenuItem>
                </>
              )}
            </>
          )}
        </ActionsMenu>
      }
    >
      {isRemoving && <RemoveAssistantDialog id={id} name={name} onClose={() => setRemoving(false)} />}
    </Row>
  );
}
