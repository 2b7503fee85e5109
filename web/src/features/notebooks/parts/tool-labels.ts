import { useLingui } from "@lingui/react/macro";
import { partsOf, toolLabel } from "@/features/chat/tools";

/** Returns the display name of what a notebook allows: of a tool, or of all tools of an MCP server (`wiki__*`). */
export function useFurtherToolLabel(): (name: string) => string {
  const { t } = useLingui();
  return (name) => {
    const { server, tool } = partsOf(name);
    if (server && tool === "*") return t`All tools of ${server}`;
    return name.endsWith("*") ? name : toolLabel(name);
  };
}
