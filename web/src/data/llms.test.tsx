import { expect, it } from "vitest";
import { costWords } from "./llms";

it.each([
  [0.5, 100, undefined, "US$0.50"],
  [0, 0, undefined, "US$0.00"],
  [0, 100, undefined, "unknown"],
  [0, 100, { provider: "LLM_PROVIDER_OPENAI" as const }, "unknown"],
  [0, 100, { provider: "LLM_PROVIDER_OLLAMA" as const, inputPrice: 0, outputPrice: 0 }, "free"],
  [0, 100, { provider: "LLM_PROVIDER_EXTRACTIVE" as const }, "free"],
])("a cost of %d for %d tokens of %o is %s", (usd, tokens, llm, words) => {
  expect(costWords(usd, tokens, llm).replace("$", "US$").replace("USUS", "US")).toBe(words);
});
