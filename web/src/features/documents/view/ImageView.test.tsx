import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { ImageView } from "./ImageView";

test("shows an image by its name, and says so when the browser cannot", () => {
  renderInApp(<ImageView document={{ id: "7", title: "Plan of the office", fileName: "plan.tiff" }} />);
  const image = screen.getByRole("img", { name: "Plan of the office" });
  expect(image.getAttribute("src")).toContain("/documents/7");
  fireEvent.error(image);
  expect(screen.queryByRole("img")).toBeNull();
  expect(screen.getByText(/Download it to look at it/)).toBeTruthy();
});
