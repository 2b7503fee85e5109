import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { NoText } from "./NoText";

test("a document that failed promises no text", () => {
  renderInApp(<NoText isFailed />);
  expect(screen.getByText(/could not be read/)).toBeTruthy();
  expect(screen.queryByText(/not ready yet/)).toBeNull();
});
