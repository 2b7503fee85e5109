import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { serverWords } from "@/api/error-words";
import { useTryTools } from "@/data/assistants";
import { healthQuery } from "@/data/system";
import type { AssistantJson, McpServerJson, ToolInfoJson } from "@/gen/echomind/public/v1/assistant_pb";
import type { McpServerHealthJson } from "@/gen/echomind/public/v1/system_pb";
import { Button } from "@/ui/Button";
import { CheckField } from "@/ui/Field";
import { formatRelative } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import type { TabProps } from "./GeneralTab";
import { ServerFields } from "./ServerFields";
import { ToolItem } from "./ToolItem";
import styles from "./tabs.module.css";

const BLANK: McpServerJson = { name: "", transport: "MCP_TRANSPORT_STREAMABLE_HTTP", url: "", allowedTools: ["*"] };

interface ServersTabProps extends TabProps {
  id: number;
  /** The assistant as it is filled in. */
  assistant: AssistantJson;
  /** Names of the servers whose tools somebody has decided about; those of others need approval at first. */
  known: readonly string[];
  setKnown: (names: string[]) => void;
}

/** The MCP servers of an assistant: their connection, tools and status. */
export function ServersTab({ id, values, set, assistant, known, setKnown }: ServersTabProps) {
  const { t } = useLingui();
  const test = useTryTools(id);
  const { data: health } = useQuery({ ...healthQuery, refetchInterval: false });
  const lastError = (name: string | undefined) => health?.mcpServers?.find(({ assistantId, server, lastError: error }) => assistantId === id && server === name && error);
  const change = (index: number, server: McpServerJson | undefined) => {
    test.reset();
    set({ mcpServers: values.mcpServers.flatMap((one, at) => (at === index ? (server ?? []) : one)) });
  };
  const requireApproval = (tools: readonly ToolInfoJson[]) => {
    const added = tools.filter(({ mcpServer, error }) => mcpServer && !error && !known.includes(mcpServer));
    if (added.length === 0) return;
    const changing = added.flatMap(({ name, sideEffect }) => (name && sideEffect ? name : []));
    set({ approvalTools: [...new Set([...values.approvalTools, ...changing])] });
    setKnown([...new Set([...known, ...added.flatMap(({ mcpServer }) => mcpServer ?? [])])]);
  };
  const tryThem = () =>
    test.mutate({ ...assistant, name: assistant.name || t`New assistant` }, { onSuccess: ({ tools = [] }) => requireApproval(tools) });
  return (
    <div className={styles.fields}>
      <p className={styles.about}>
        <Trans>Servers of the Model Context Protocol provide tools of other systems. EchoMind connects to them from its own machine.</Trans>
      </p>
      {values.mcpServers.map((server, index) => (
        <ServerFields key={index} server={server} onChange={(changed) => change(index, changed)} onRemove={() => change(index, undefined)}>
          {!test.data && lastError(server.name) && <LastError state={lastError(server.name) ?? {}} />}
          {test.data && (
            <ServerHealth
              tools={(test.data.tools ?? []).filter(({ mcpServer }) => mcpServer === server.name)}
              approvalTools={values.approvalTools}
              onApproval={(approvalTools) => set({ approvalTools })}
            />
          )}
        </ServerFields>
      ))}
      {test.error && <Notice tone="danger">{test.error.message}</Notice>}
      <div className={styles.buttons}>
        <Button onClick={() => set({ mcpServers: [...values.mcpServers, BLANK] })}>
          <Plus size={16} /> <Trans>Add a server</Trans>
        </Button>
        {values.mcpServers.length > 0 && (
          <Button disabled={test.isPending} onClick={tryThem}>
            {test.isPending && <Spinner />}
            <Trans>Test connections</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

/** The last failed connection of a server, and whether it was reached since. */
function LastError({ state: { status, lastError = "", failedAt } }: { state: McpServerHealthJson }) {
  const isAway = status !== "HEALTH_STATUS_OK";
  const reason = serverWords(lastError);
  return (
    <Notice tone={isAway ? "danger" : "info"}>
      {isAway ? (
        <Trans>
          Unreachable {formatRelative(failedAt)}: {reason}
        </Trans>
      ) : (
        <Trans>
          It works. Last error, {formatRelative(failedAt)}: {reason}
        </Trans>
      )}
    </Notice>
  );
}

interface ServerHealthProps {
  /** Its tools, or its errors. */
  tools: readonly ToolInfoJson[];
  approvalTools: readonly string[];
  onApproval: (names: string[]) => void;
}

/** Test result of a server: its tools, or why there are none. */
function ServerHealth({ tools, approvalTools, onApproval }: ServerHealthProps) {
  const { t } = useLingui();
  const errors = tools.flatMap(({ error }) => error || []);
  const found = tools.filter(({ error }) => !error);
  return (
    <>
      {errors.map((error) => (
        <Notice key={error} tone="danger">
          {serverWords(error)}
        </Notice>
      ))}
      {errors.length === 0 && (
        <Notice tone="info">
          <Plural
            value={found.length}
            _0="It answers, and offers none of the allowed tools. Check their names."
            one="It answers: # tool is allowed."
            other="It answers: # tools are allowed."
          />
        </Notice>
      )}
      {found.length > 0 && (
        <ul className={styles.tools} aria-label={t`Tools of the server`}>
          {found.map((tool) => {
            const { name = "" } = tool;
            const others = approvalTools.filter((one) => one !== name);
            return (
              <ToolItem key={name} tool={tool}>
                <CheckField
                  label={t`Needs approval`}
                  checked={approvalTools.includes(name)}
                  onChange={(needsIt) => onApproval(needsIt ? [...others, name] : others)}
                />
              </ToolItem>
            );
          })}
        </ul>
      )}
    </>
  );
}
