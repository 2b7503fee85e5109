/** Choices of how old something may be. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

const DAY_MS = 86_400_000;
const DAYS = { any: 0, day: 1, week: 7, month: 30, year: 365 } as const;

/** The ages of lists, as the address has them. */
export const LIST_AGES = ["any", "day", "week", "month"] as const;
/** A maximum age. */
export type Age = keyof typeof DAYS;

/** What the ages are called; `any` has other words where something else than a list is filtered. */
export const AGE_NAMES: Readonly<Record<Age, MessageDescriptor>> = {
  any: msg`Any time`,
  day: msg`Last 24 hours`,
  week: msg`Last 7 days`,
  month: msg`Last 30 days`,
  year: msg`Last year`,
};

/** The earliest time of what is not older; undefined for any time. */
export function createdFrom(age: Age, now: Date): string | undefined {
  return DAYS[age] ? new Date(now.getTime() - DAYS[age] * DAY_MS).toISOString() : undefined;
}
