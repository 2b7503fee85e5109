import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { assistantsQuery } from "@/data/assistants";
import { addressOf } from "@/ui/base-path";
import { CopyButton } from "@/ui/CopyButton";
import { Page } from "@/ui/Page";
import styles from "./ConnectPage.module.css";
import claudeDesktop from "./snippets/claude-desktop.json?raw";
import curl from "./snippets/curl.txt?raw";
import langchain from "./snippets/langchain.txt?raw";
import mcpAddress from "./snippets/mcp-address.json?raw";
import openai from "./snippets/openai.txt?raw";

interface Snippet {
  title: string;
  text: string;
  code: string;
}

/** How programs connect to this installation: its addresses, and code that works as it stands with a key. */
export function ConnectPage() {
  const { t } = useLingui();
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const address = `${location.origin}${addressOf("")}`;
  const standard = assistants.find(({ isDefault }) => isDefault) ?? assistants[0];
  const model = standard?.id ? `assistants/${standard.id}` : "echomind";
  const filled = (code: string) => code.replaceAll("ECHOMIND_ADDRESS", address).replaceAll("MODEL", model).trimEnd();
  const snippets: readonly Snippet[] = [
    { title: t`Command line`, text: t`Any program that can send HTTP requests.`, code: curl },
    { title: t`OpenAI's Python package`, text: t`Also other tools that let you set the base URL of an OpenAI-compatible server.`, code: openai },
    { title: t`LangChain`, text: t`EchoMind's assistant as a chat model.`, code: langchain },
    { title: t`Claude Desktop`, text: t`In claude_desktop_config.json; it starts the command echomind on your machine.`, code: claudeDesktop },
    { title: t`Editors and other MCP clients`, text: t`In .vscode/mcp.json, or as address and header in other clients.`, code: mcpAddress },
  ];
  return (
    <Page title={t`Connect a tool`} section={t`Settings`} description={t`Chat front ends, editors, agents and your own programs can ask EchoMind, and see what you may see.`}>
      <p>
        <Trans>
          Put a key of yours in place of API_KEY: you create it under <Link href="/settings/api-keys">API keys</Link>.
        </Trans>
      </p>
      <dl className={styles.addresses}>
        <dt>{t`OpenAI-compatible base URL`}</dt>
        <dd>
          <code>{`${address}/v1`}</code>
        </dd>
        <dt>{t`MCP server`}</dt>
        <dd>
          <code>{`${address}/mcp`}</code>
        </dd>
        <dt>{t`Model`}</dt>
        <dd>
          <code>{model}</code>
        </dd>
      </dl>
      {snippets.map(({ title, text, code }) => (
        <section key={title} className={styles.snippet} aria-label={title}>
          <h2>{title}</h2>
          <p>{text}</p>
          <div className={styles.code}>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard scrolling requires focus */}
            <pre tabIndex={0}>
              <code>{filled(code)}</code>
            </pre>
            <CopyButton label={t`Copy the code for ${title}`} text={() => filled(code)} className={styles.copy} />
          </div>
        </section>
      ))}
    </Page>
  );
}
