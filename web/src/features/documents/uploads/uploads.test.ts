// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from "vitest";
import type { Audience } from "@/data/audiences";
import { Uploads } from "./uploads";

const ME: Audience = { value: "user", label: "Only me", scope: "SCOPE_USER", group: "" };
const SALES: Audience = { value: "group:sales", label: "Sales", scope: "SCOPE_GROUP", group: "sales" };

/** Sent requests that wait for the test's response. */
let sent: Request[] = [];

class Request {
  status = 0;
  responseText = "";
  form = new FormData();
  headers = new Map<string, string>();
  upload: { onprogress?: (event: Partial<ProgressEvent>) => void } = {};
  onload?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  open = vi.fn();
  setRequestHeader(name: string, value: string) {
    this.headers.set(name, value);
  }
  send(form: FormData) {
    this.form = form;
    sent.push(this);
  }
  abort() {
    this.onabort?.();
    this.onloadend?.();
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
    this.onloadend?.();
  }
}

const files = (...names: string[]) => names.map((path) => ({ path, file: new File(["x"], path.replace(/.*\//, "")) }));
const settled = () => new Promise((resolve) => setTimeout(resolve));
const states = (uploads: Uploads) => uploads.all().map(({ path, state }) => `${path} ${state}`);

beforeEach(() => {
  sent = [];
  vi.stubGlobal("XMLHttpRequest", Request);
});

test("three files are on their way at once, the next when one has ended", async () => {
  const onStored = vi.fn();
  const uploads = new Uploads(onStored);
  uploads.add(files("a", "b", "c", "d"), ME);
  expect(states(uploads)).toEqual(["a sending", "b sending", "c sending", "d waiting"]);
  sent[1]?.upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 4 });
  expect(uploads.all()[1]?.sent).toBe(0.25);
  sent[0]?.answer(200, { documents: [] });
  await settled();
  expect(states(uploads)).toEqual(["a stored", "b sending", "c sending", "d sending"]);
  expect(onStored).toHaveBeenCalledTimes(1);
});

test("a file goes with its path and whom it is for", () => {
  const uploads = new Uploads(vi.fn());
  uploads.add(files("hr/leave.pdf"), SALES);
  const entries = Array.from(sent[0]?.form.entries() ?? [], ([name, value]) => [name, value instanceof File ? value.name : value]);
  expect(entries).toEqual([["sourceId", "hr/leave.pdf"], ["scope", "SCOPE_GROUP"], ["group", "sales"], ["file", "leave.pdf"]]);
  expect(sent[0]?.headers.get("X-EchoMind-CSRF")).toBe("1");
});

test("a refused file keeps the server's words and can be sent again", async () => {
  const uploads = new Uploads(vi.fn());
  uploads.add(files("a"), ME);
  sent[0]?.answer(400, { error: { reason: "FILE_REJECTED", message: "The file is empty." } });
  await settled();
  expect(uploads.all()[0]).toMatchObject({ state: "failed", error: "The file is empty." });
  uploads.retry(uploads.all()[0]?.key ?? 0);
  sent[1]?.answer(200, { documents: [] });
  await settled();
  expect(states(uploads)).toEqual(["a stored"]);
});

test("a file that is taken out is stopped and makes room", async () => {
  const uploads = new Uploads(vi.fn());
  uploads.add(files("a", "b", "c", "d"), ME);
  uploads.remove(uploads.all()[0]?.key ?? 0);
  await settled();
  expect(states(uploads)).toEqual(["b sending", "c sending", "d sending"]);
});
