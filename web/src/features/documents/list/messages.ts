/** Message after many documents were changed. */
import { plural, t } from "@lingui/core/macro";

/** The message of a change. */
export function changedMessage(action: "delete" | "retry" | "move", count: number, inBackground: boolean): string {
  if (count === 0) return t`Nothing was changed: none of the documents can be changed.`;
  const documents = plural(count, { one: "# document", other: "# documents" });
  if (action === "delete") return inBackground ? t`Deleting ${documents} in the background.` : t`${documents} deleted.`;
  if (action === "retry") return inBackground ? t`Reprocessing ${documents} in the background.` : t`${documents} will be processed again.`;
  return inBackground ? t`Moving ${documents} in the background.` : t`${documents} moved.`;
}
