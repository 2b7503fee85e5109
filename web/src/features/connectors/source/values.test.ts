import { expect, test } from "vitest";
import type { SettingFieldJson } from "@/gen/echomind/public/v1/connector_pb";
import { applying, entered, faultsOf, faultyTitles, isComplete } from "./values";

const FIELDS: SettingFieldJson[] = [
  { name: "start", kind: "SETTING_KIND_LIST", required: true },
  { name: "depth", kind: "SETTING_KIND_INTEGER" },
  { name: "sitemaps", kind: "SETTING_KIND_BOOLEAN" },
  {
    name: "application",
    kind: "SETTING_KIND_GROUP",
    fields: [
      { name: "tenant", kind: "SETTING_KIND_TEXT", required: true },
      { name: "secret", kind: "SETTING_KIND_SECRET", required: true },
    ],
  },
];

test("what was left empty is not sent, and numbers are numbers", () => {
  expect(entered(FIELDS, { start: ["https://a.example ", ""], depth: "", sitemaps: false })).toEqual({
    start: ["https://a.example"],
    sitemaps: false,
  });
  expect(entered(FIELDS, { start: [], depth: "3", application: { tenant: "" } })).toEqual({ depth: 3 });
});

test("a part that is begun must be complete", () => {
  const start = ["https://a.example"];
  expect(isComplete(FIELDS, {})).toBe(false);
  expect(isComplete(FIELDS, { start })).toBe(true);
  expect(isComplete(FIELDS, { start, application: { tenant: "t" } })).toBe(false);
  expect(isComplete(FIELDS, { start, application: { tenant: "t", secret: "s" } })).toBe(true);
});

test("errors are shown at their fields", () => {
  const metadata = { "connector.config.start[0]": "is no address", "connector.name": "is taken" };
  expect(faultsOf(metadata, "connector.config")).toEqual({ start: "is no address" });
});

test("the fields that an error names are named by their titles", () => {
  const fields: SettingFieldJson[] = [
    { name: "start", title: "Start pages", kind: "SETTING_KIND_LIST" },
    { name: "application", title: "Application", kind: "SETTING_KIND_GROUP", fields: [{ name: "tenant", title: "Directory" }] },
  ];
  expect(faultyTitles(fields, { start: "is missing", "application.tenant": "is missing", other: "is taken" })).toEqual(["Start pages", "Directory"]);
});

test("fields apply by the value of a setting, or by its default", () => {
  const service: SettingFieldJson = { name: "service", kind: "SETTING_KIND_CHOICE", choices: ["s3", "webdav"] };
  const region: SettingFieldJson = { name: "region", appliesWhen: { setting: "service", values: ["s3"] } };
  const names = (settings: SettingFieldJson[], config: Record<string, unknown>) => applying([service, region], settings, config).map(({ name }) => name);
  expect(names([service], {})).toEqual(["service"]);
  expect(names([service], { service: "webdav" })).toEqual(["service"]);
  expect(names([service], { service: "s3" })).toEqual(["service", "region"]);
  expect(names([{ ...service, defaultValue: "s3" }], {})).toEqual(["service", "region"]);
  const address: SettingFieldJson = { name: "address", requiredWhen: { setting: "service", values: ["webdav"] } };
  const isRequired = (config: Record<string, unknown>) => applying([address], [service], config)[0]?.required;
  expect(isRequired({ service: "webdav" })).toBe(true);
  expect(isRequired({ service: "s3" })).toBe(false);
});
