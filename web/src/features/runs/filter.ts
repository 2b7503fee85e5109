/** Filter of runs, as in the URL and as the server expects it. */
import type { RunFilter } from "@/data/runs";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import { LIST_AGES } from "@/ui/ages";
import { many, oneOf, text } from "@/ui/search-state";

const STATUSES = ["queued", "running", "waiting_for_input", "waiting_for_children", "paused", "completed", "failed", "cancelled", "timeout"] as const;
/** A status as the address has it. */
export type Status = (typeof STATUSES)[number];
/** Costs in US dollars from which on runs are listed. */
export const COSTS = ["", "0.01", "0.1", "1"] as const;

/** The filters of the address. */
export const STATE = {
  state: many(STATUSES),
  assistant: text(),
  model: text(),
  user: text(),
  cost: oneOf(COSTS, ""),
  age: oneOf(LIST_AGES, "any"),
  kept: text(),
};

interface Wanted {
  state: readonly Status[];
  assistant: string;
  model: string;
  user: string;
  cost: string;
  kept: string;
}

/** The filter by what programs keep with runs: values as `key=value`, separated by commas, or an external id. */
function keptFilter(kept: string): Pick<RunFilter, "externalId" | "metadata"> {
  const parts = kept.split(",").map((part) => part.trim()).filter(Boolean);
  const metadata = parts.filter((part) => part.indexOf("=") > 0);
  const externalId = parts.find((part) => !metadata.includes(part));
  return { ...(metadata.length > 0 && { metadata }), ...(externalId && { externalId }) };
}

/** The filter of the request. Only superadmins can request other people's runs. */
export function filterOf({ state, assistant, model, user, cost, kept }: Wanted, since: string | undefined, isSuperadmin: boolean): RunFilter {
  const id = (value: string) => Number(value) || 0;
  return {
    rootsOnly: true,
    ...(state.length > 0 && { statuses: state.map((word) => `RUN_STATUS_${word.toUpperCase()}` as RunStatusJson) }),
    ...(id(assistant) > 0 && { assistantId: id(assistant) }),
    ...(id(model) > 0 && { llmId: id(model) }),
    ...(isSuperadmin && user === "all" && { everyone: true }),
    ...(isSuperadmin && id(user) > 0 && { userId: id(user) }),
    ...(cost && { minCost: Number(cost) }),
    ...(since && { createdFrom: since }),
    ...keptFilter(kept),
  };
}
