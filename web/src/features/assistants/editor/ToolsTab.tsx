import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { knownToolsQuery } from "@/data/assistants";
import { CheckField } from "@/ui/Field";
import { QueryView } from "@/ui/QueryView";
import type { TabProps } from "./GeneralTab";
import { ToolItem } from "./ToolItem";
import styles from "./tabs.module.css";

/** Returns a list with a name, or without it. */
function toggled(names: readonly string[], name: string, isIn: boolean): string[] {
  return isIn ? [...names.filter((one) => one !== name), name] : names.filter((one) => one !== name);
}

/** The built-in tools of an assistant, and those that require approval. */
export function ToolsTab({ values, set }: TabProps) {
  const { t } = useLingui();
  const { data: tools, error, refetch } = useQuery(knownToolsQuery);
  const known = (tools ?? []).filter(({ error: problem }) => !problem);
  const names = known.map(({ name = "" }) => name);
  const hasAll = values.tools.length === 0;
  return (
    <div className={styles.fields}>
      <p className={styles.about}>
        <Trans>
          A tool that needs approval waits for the person who asked. After it has read untrusted text, a run needs approval for
          tools that change something or send data out in any case.
        </Trans>
      </p>
      <QueryView error={error} onRetry={refetch} isPending={!tools} label={t`Loading tools`} />
      <CheckField label={t`All tools, also those of later versions`} checked={hasAll} onChange={(isAll) => set({ tools: isAll ? [] : names })} />
      {known.length > 0 && (
        <ul className={styles.tools} aria-label={t`Tools`}>
          {known.map((tool) => {
            const { name = "" } = tool;
            return (
              <ToolItem key={name} tool={tool}>
                <CheckField
                  label={t`Use`}
                  checked={hasAll || values.tools.includes(name)}
                  onChange={(isUsed) => set({ tools: toggled(hasAll ? names : values.tools, name, isUsed) })}
                />
                <CheckField
                  label={t`Needs approval`}
                  checked={values.approvalTools.includes(name)}
                  onChange={(needsIt) => set({ approvalTools: toggled(values.approvalTools, name, needsIt) })}
                />
              </ToolItem>
            );
          })}
        </ul>
      )}
      <CheckField
        label={t`Allow clarifying questions`}
        checked={values.askClarifications}
        onChange={(askClarifications) => set({ askClarifications })}
      />
    </div>
  );
}
