import type { DescService } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { actionWords } from "./words";

const GENERATED = import.meta.glob<Record<string, unknown>>("../../gen/echomind/public/v1/*_service_pb.ts", { eager: true });
const isService = (value: unknown): value is DescService => typeof value === "object" && value !== null && "kind" in value && value.kind === "service";

test("each method of the contract has words", () => {
  const services = Object.values(GENERATED).flatMap((module) => Object.values(module).filter(isService));
  expect(services.length).toBeGreaterThan(40);
  const actions = services.flatMap((service) => service.methods.map((method) => `${service.name}/${method.name}`));
  expect(actions.filter((action) => !actionWords(action))).toEqual([]);
});

test("an action says what was done to what", () => {
  expect(actionWords("ConnectorService/CreateConnector")).toBe("Connector: created");
  expect(actionWords("GroupService/AddGroupMembers")).toBe("Group: members added");
  expect(actionWords("GroupService/CreateGroup")).toBe("Group: created");
  expect(actionWords("SCIM/CreateGroup")).toBe("SCIM: group created");
  expect(actionWords("SystemService/GetSystemHealth")).toBe("Installation: read");
  expect(actionWords("Sign-in/Password")).toBe("Sign-in: with a password");
});

test("what the command line and the database record has words, too", () => {
  expect(actionWords("users recover")).toBe("Account: access recovered on the command line");
  expect(actionWords("Audit/Retention")).toBe("Audit log: expired entries removed");
});

test("an action without words is shown as it is stored", () => expect(actionWords("Other/Thing")).toBeUndefined());
