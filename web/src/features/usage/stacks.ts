/** Tokens by day and model, as the parts of bars. */
import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";

/** A model with its place among the colours. */
export interface StackedModel {
  id: number;
  name: string;
}

/** A part of the bar of a day. */
export interface StackPart {
  /** The place of its model. */
  model: number;
  from: number;
  to: number;
}

/** Tokens of a day. */
export function tokensOf({ promptTokens, completionTokens }: UsageJson): number {
  return Number(promptTokens ?? 0) + Number(completionTokens ?? 0);
}

/** The models, most used first, the days in order, and the parts of each day's bar from the bottom. */
export function stacksOf(usage: readonly UsageJson[]): { models: StackedModel[]; days: { day: string; parts: StackPart[] }[]; highest: number } {
  const totals = new Map<number, StackedModel & { tokens: number }>();
  for (const row of usage) {
    const id = row.id ?? 0;
    const tokens = (totals.get(id)?.tokens ?? 0) + tokensOf(row);
    totals.set(id, { id, name: row.name ?? "", tokens });
  }
  const models = [...totals.values()].filter(({ tokens }) => tokens > 0).sort((a, b) => b.tokens - a.tokens || a.id - b.id);
  const days = daysOf(usage).map((day) => {
    let height = 0;
    const parts: StackPart[] = [];
    for (const [model, { id }] of models.entries()) {
      const tokens = usage.filter((row) => row.day === day && (row.id ?? 0) === id).reduce((sum, row) => sum + tokensOf(row), 0);
      if (tokens > 0) parts.push({ model, from: height, to: (height += tokens) });
    }
    return { day, parts };
  });
  return { models: models.map(({ id, name }) => ({ id, name })), days, highest: Math.max(...days.map(({ parts }) => parts.at(-1)?.to ?? 0), 1) };
}

/** All days from the first to the last one, also those without usage. */
function daysOf(usage: readonly UsageJson[]): string[] {
  const found = usage.flatMap(({ day }) => (day ? [day] : [])).sort();
  const [first, last] = [found[0], found.at(-1)];
  const days: string[] = [];
  for (let day = first; day && last && day <= last; ) {
    days.push(day);
    const next = new Date(`${day}T00:00:00Z`);
    next.setUTCDate(next.getUTCDate() + 1);
    day = next.toISOString().slice(0, 10);
  }
  return days;
}
