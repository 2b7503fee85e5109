/** Filter of runs, as in the URL and as the server expects it. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { RunFilter } from "@/data/runs";
import type { RunStatusJson } from "@/gen/echomind/public/v1/run_pb";
import { many, oneOf, text } from "@/ui/search-state";

const DAY_MS = 86_400_000;
const STATUSES = ["queued", "running", "waiting_for_input", "waiting_for_children", "paused", "completed", "failed", "cancelled", "timeout"] as const;
/** A status as the address has it. */
export type Status = (typeof STATUSES)[number];
/** Maximum age of a run. */
export type Age = "any" | "day" | "week" | "month";

/** Costs in US dollars from which on runs are listed. */
export const COSTS = ["", "0.01", "0.1", "1"] as const;

export const AGES: readonly { value: Age; label: MessageDescriptor }[] = [
  { value: "any", label: msg`Any time` },
  { value: "day", label: msg`Last 24 hours` },
  { value: "week", label: msg`Last 7 days` },
  { value: "month", label: msg`Last 30 days` },
];

/** The filters of the address. */
export const STATE = {
  state: many(STATUSES),
  assistant: text(),
  model: text(),
  user: text(),
  cost: oneOf(COSTS, ""),
  age: oneOf(["any", "day", "week", "month"], "any"),
  kept: text(),
};

const DAYS: Readonly<Record<Age, number>> = { any: 0, day: 1, week: 7, month: 30 };

/** The earliest creation time of runs; undefined for any time. */
export function createdFrom(age: Age, now: Date): string | undefined {
  return DAYS[age] ? new Date(now.getTime() - DAYS[age] * DAY_MS).toISOString() : undefined;
}

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
