import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { SourceList } from "./SourceList";

test("the sources of two answers are two lists, and no landmarks of one name", () => {
  const citations = [{ number: 1, title: "Handbook", documentId: "4", supported: true }];
  const list = <SourceList citations={citations} onOpen={() => undefined} />;
  renderInApp(<>{list}{list}</>);
  expect(screen.getAllByRole("group", { name: "Sources" })).toHaveLength(2);
  expect(screen.queryAllByRole("region")).toHaveLength(0);
});
