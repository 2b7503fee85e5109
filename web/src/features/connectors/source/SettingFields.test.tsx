import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { SettingFields } from "./SettingFields";

const FIELDS = [
  { name: "start_urls", title: "Start pages", description: "Where the crawl begins.", kind: "SETTING_KIND_LIST" as const, required: true },
  { name: "depth", title: "Depth", kind: "SETTING_KIND_INTEGER" as const, required: true },
];

test("what is wrong is said at the field, which is marked", () => {
  renderInApp(<SettingFields fields={FIELDS} values={{}} faults={{ start_urls: "must begin with https://" }} onChange={() => undefined} />);
  const field = screen.getByRole("textbox", { name: "Start pages" });
  expect(field.getAttribute("aria-invalid")).toBe("true");
  const notes = document.getElementById(field.getAttribute("aria-describedby") ?? "");
  expect(notes?.textContent).toBe("Must begin with https://. Where the crawl begins. One a line.");
  expect(screen.getByRole("spinbutton", { name: "Depth" }).getAttribute("aria-invalid")).toBeNull();
});
