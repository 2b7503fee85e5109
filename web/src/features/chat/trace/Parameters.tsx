import { Trans } from "@lingui/react/macro";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";
import { withVisible } from "@/ui/invisible";
import styles from "./Parameters.module.css";

/** Formats the arguments of a tool: texts as they are, but for characters that show nothing, and other values as JSON. */
export function Parameters({ parameters }: Pick<ToolCallJson, "parameters">) {
  const entries = Object.entries(parameters ?? {});
  if (entries.length === 0) return <p className={styles.none}><Trans>No parameters</Trans></p>;
  return (
    <dl className={styles.parameters}>
      {entries.map(([name, value]) => (
        <div key={name} className={styles.parameter}>
          <dt>{name}</dt>
          <dd>{withVisible(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</dd>
        </div>
      ))}
    </dl>
  );
}
