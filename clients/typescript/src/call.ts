/** Base of the generated functions: distributes a method's fields over path, query and body, as the contract defines. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { EchoMind } from "./client.js";
import { ApiError, errorOf } from "./errors.js";

/** A request whose path fields are required. In a path they are text, so a number may be given as either. */
export type Bound<Request, Path extends keyof Request> = Omit<Request, Path> & Readonly<Record<Path, string | number>>;

/** Options of a request. */
export interface CallOptions {
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/** A method of the API; rejects with an `ApiError`. */
export type Call<Request, Response> = (client: EchoMind, request: Request, options?: CallOptions) => Promise<Response>;

/** A method that answers with a stream: there once the server has accepted the request, read until it ends. */
export type Stream<Request, Item> = Call<Request, AsyncGenerator<Item>>;

/** The body that has all fields which are not in the path. */
const ALL = "*";
/** The server sends something at least every 15 s; after this long in silence the connection counts as dead. */
const SILENCE_MS = 45_000;

/**
 * Creates the function of a method.
 *
 * @param template The path, with fields in braces.
 * @param body The field that is the body, or all that are not in the path; left out, there is none.
 */
export function call<Request extends object, Response, Path extends keyof Request = never>(
  method: string,
  template: string,
  body?: string,
): Call<Bound<Request, Path>, Response> {
  return async (client, fields, { signal } = {}) => {
    const { path, ...rest } = spread(template, body, fields);
    const response = await client.send(method, path, { ...rest, accept: "application/json", signal });
    const text = await response.text();
    return (text ? JSON.parse(text) : {}) as Response;
  };
}

/** Creates the function of a streaming method, see `call`. */
export function stream<Request extends object, Item, Path extends keyof Request = never>(
  method: string,
  template: string,
  body?: string,
): Stream<Bound<Request, Path>, Item> {
  return async (client, fields, { signal } = {}) => {
    const { path, ...rest } = spread(template, body, fields);
    return readEvents<Item>(await client.send(method, path, { ...rest, accept: "text/event-stream", signal }));
  };
}

function spread(template: string, body: string | undefined, fields: object) {
  const rest = new Map<string, unknown>(Object.entries(fields));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(take(name))));
  if (body === ALL) return { path, body: Object.fromEntries(rest), query: new URLSearchParams() };
  const content = body === undefined ? undefined : take(body);
  return { path, body: content, query: new URLSearchParams(named(Object.fromEntries(rest))) };
}

/** Flattens a message to query parameters: nested fields are named `outer.inner`, and lists repeat their name. */
function named(fields: object, prefix = ""): string[][] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return named(value, `${prefix}${name}.`);
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.filter((each) => each !== undefined && each !== null && each !== "").map((each) => [`${prefix}${name}`, String(each)]);
  });
}

async function* readEvents<T>(response: Response): AsyncGenerator<T> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  try {
    for (;;) {
      const { done, value } = await readChunk(reader);
      parser.feed(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      for (const event of ready.splice(0)) {
        const data: unknown = JSON.parse(event.data);
        if (event.event === "error") throw errorOf(response.status, data);
        yield data as T;
      }
      if (done) return;
    }
  } finally {
    // Cancelling a failed stream rejects with the same error.
    reader.cancel().catch(() => undefined);
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(broken()), SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw broken();
  } finally {
    clearTimeout(timer);
  }
}

function broken(): ApiError {
  return new ApiError(0, "UNREACHABLE", "", "The connection broke.");
}
