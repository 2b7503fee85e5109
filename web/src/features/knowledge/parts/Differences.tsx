import type { TextDifferenceJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { TextDiffParts } from "@/ui/TextDiff";

/** The text that contains a part: the earlier one is the first, the later one the second. */
const IN = {
  TEXT_CHANGE_UNSPECIFIED: "both",
  TEXT_CHANGE_KEPT: "both",
  TEXT_CHANGE_REMOVED: "first",
  TEXT_CHANGE_ADDED: "second",
} as const;

/** The differences between two contents of an entity, as the server has compared them. */
export function Differences({ differences }: { differences: readonly TextDifferenceJson[] }) {
  return <TextDiffParts parts={differences.map(({ change, text = "" }) => ({ text, in: IN[change ?? "TEXT_CHANGE_KEPT"] }))} />;
}
