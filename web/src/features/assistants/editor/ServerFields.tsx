import { Trans, useLingui } from "@lingui/react/macro";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { McpServerJson, McpTransportJson } from "@/gen/echomind/public/v1/assistant_pb";
import { IconButton } from "@/ui/Button";
import { CheckField, SelectField, TextField } from "@/ui/Field";
import { FormRow } from "@/ui/Form";
import { LinesArea } from "./LinesArea";
import { linesOf, secretsOf, textOfLines, textOfSecrets } from "./lines";
import styles from "./tabs.module.css";

interface ServerFieldsProps {
  server: McpServerJson;
  onChange: (server: McpServerJson) => void;
  onRemove: () => void;
  children?: ReactNode;
}

/** The fields of an MCP server. */
export function ServerFields({ server, onChange, onRemove, children }: ServerFieldsProps) {
  const { t } = useLingui();
  const { name = "", transport = "MCP_TRANSPORT_STREAMABLE_HTTP" } = server;
  const isProgram = transport === "MCP_TRANSPORT_STDIO";
  const set = (changes: Partial<McpServerJson>) => onChange({ ...server, ...changes });
  const move = (next: McpTransportJson) =>
    set({ transport: next, url: "", headers: {}, oauth: {}, command: "", args: [], env: {} });
  return (
    <section className={styles.server} aria-label={name || t`New server`}>
      <div className={styles.serverHeader}>
        <h3>{name || t`New server`}</h3>
        <IconButton label={t`Remove server ${name}`} onClick={onRemove}>
          <Trash2 size={16} />
        </IconButton>
      </div>
      <FormRow>
        <TextField
          label={t`Server name`}
          required
          pattern="[a-z][a-z0-9_\-]{0,31}"
          hint={t`Lowercase letters and digits. Used as the prefix of its tool names.`}
          value={name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <SelectField
          label={t`Reached by`}
          value={transport}
          options={[
            { value: "MCP_TRANSPORT_STREAMABLE_HTTP", label: t`Address (streamable HTTP)` },
            { value: "MCP_TRANSPORT_STDIO", label: t`Program (stdio)` },
          ]}
          onChange={(value) => move(value as McpTransportJson)}
        />
      </FormRow>
      {isProgram ? (
        <>
          <TextField label={t`Command`} required value={server.command ?? ""} onChange={(event) => set({ command: event.target.value })} />
          <LinesArea label={t`Arguments`} hint={t`One a line.`} lines={textOfLines(server.args)} onLines={(text) => set({ args: linesOf(text) })} />
          <LinesArea
            label={t`Environment`}
            hint={t`NAME=value, one per line. Stored values are never shown; leave them blank to keep them.`}
            lines={textOfSecrets(server.env, "=")}
            onLines={(text) => set({ env: secretsOf(text, "=") })}
          />
        </>
      ) : (
        <>
          <TextField label={t`URL`} type="url" required placeholder="https://tools.example.org/mcp" value={server.url ?? ""} onChange={(event) => set({ url: event.target.value })} />
          <LinesArea
            label={t`Headers`}
            hint={t`Name: value, one per line. Stored values are never shown; leave them blank to keep them.`}
            lines={textOfSecrets(server.headers, ": ")}
            onLines={(text) => set({ headers: secretsOf(text, ":") })}
          />
          <LinesArea
            label={t`Sign-in (OAuth)`}
            hint={t`For servers that ask for an access token: issuer, clientId, clientSecret and, if needed, scope, as Name: value, one per line. Stored values are never shown; leave them blank to keep them.`}
            lines={textOfSecrets(server.oauth, ": ")}
            onLines={(text) => set({ oauth: secretsOf(text, ":") })}
          />
        </>
      )}
      <FormRow>
        <LinesArea
          label={t`Allowed tools`}
          hint={t`Names at the server, one per line; * allows all. Blank allows none.`}
          lines={textOfLines(server.allowedTools)}
          onLines={(text) => set({ allowedTools: linesOf(text) })}
        />
        <LinesArea
          label={t`Read-only tools`}
          hint={t`Tools that only read. All others are treated as tools that change something.`}
          lines={textOfLines(server.readOnlyTools)}
          onLines={(text) => set({ readOnlyTools: linesOf(text) })}
        />
      </FormRow>
      <CheckField
        label={t`Trust the server's read-only hints`}
        checked={server.trustReadOnlyHints ?? false}
        onChange={(trustReadOnlyHints) => set({ trustReadOnlyHints })}
      />
      <CheckField
        label={t`Data from untrusted sources may be sent to its read-only tools without approval`}
        checked={server.trustedDestination ?? false}
        onChange={(trustedDestination) => set({ trustedDestination })}
      />
      <CheckField
        label={t`What it says about its tools is untrusted: changes need approval from the first question on`}
        checked={server.untrustedDescriptions ?? false}
        onChange={(untrustedDescriptions) => set({ untrustedDescriptions })}
      />
      {children}
      {!name && (
        <p className={styles.about}>
          <Trans>Name the server and test it before you save.</Trans>
        </p>
      )}
    </section>
  );
}
