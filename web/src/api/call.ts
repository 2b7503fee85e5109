/** Base of the generated client: distributes a method's fields over path, query and body, as the contract defines. */
import { request, send, type Query } from "./http";
import { readEvents } from "./sse";

/** A request whose path fields are required. In a path they are text, so a number may be given as either. */
export type Bound<Request, Path extends keyof Request> = Omit<Request, Path> & Readonly<Record<Path, string | number>>;

/** Options of a request. */
export interface CallOptions {
  /** Closes it. */
  signal?: AbortSignal | undefined;
}

/** A method of the API; rejects with an `ApiError`. */
export type Call<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;

/** A method that answers with a stream: there once the server has accepted the request, read until it ends. */
export type Stream<Request, Item> = Call<Request, AsyncGenerator<Item>>;

/** The body that has all fields which are not in the path. */
const ALL = "*";

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
  return (fields, { signal } = {}) => {
    const { path, ...rest } = spread(template, body, fields);
    return request<Response>(method, path, { ...rest, signal });
  };
}

/** Returns the function of a streaming method, see `call`. */
export function stream<Request extends object, Item, Path extends keyof Request = never>(
  method: string,
  template: string,
  body?: string,
): Stream<Bound<Request, Path>, Item> {
  return async (fields, { signal } = {}) => {
    const { path, ...rest } = spread(template, body, fields);
    const headers = { Accept: "text/event-stream" };
    return readEvents<Item>(await send(method, path, { ...rest, headers, signal }));
  };
}

function spread(template: string, body: string | undefined, fields: object) {
  const rest: Record<string, unknown> = { ...fields };
  const take = (name: string) => {
    const value = rest[name];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- each field moves to the path or the query
    delete rest[name];
    return value;
  };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(take(name))));
  if (body === ALL) return { path, body: rest };
  const content = body === undefined ? {} : { body: take(body) };
  return { path, query: Object.fromEntries(named(rest)) as Query, ...content };
}

/** Flattens a message to query parameters; nested fields are named `outer.inner`. */
function named(fields: object, prefix = ""): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? named(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]],
  );
}
