import { expect, it } from "vitest";
import { filterOf } from "./filter";

const NOTHING = { state: [], assistant: "", model: "", user: "", cost: "", kept: "" } as const;

it("finds runs by values and by the id of a program", () => {
  expect(filterOf(NOTHING, undefined, false)).toEqual({ rootsOnly: true });
  const kept = " ticket=42, team=legal=tax ,trace-1";
  expect(filterOf({ ...NOTHING, kept }, undefined, false)).toEqual({
    rootsOnly: true,
    metadata: ["ticket=42", "team=legal=tax"],
    externalId: "trace-1",
  });
  expect(filterOf({ ...NOTHING, kept: "=x" }, undefined, false)).toEqual({ rootsOnly: true, externalId: "=x" });
});
