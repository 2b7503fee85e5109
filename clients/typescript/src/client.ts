/** The connection to a server. */
import { ApiError, errorOf } from "./errors.js";

/** Where the server is, and who calls it. */
export interface EchoMindOptions {
  /** Its address, such as `https://echomind.example.com`. */
  url: string;
  /** An API key of EchoMind. */
  apiKey: string;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

/** What a request has besides its path. */
export interface RequestParts {
  query: URLSearchParams;
  body: unknown;
  accept: string;
  signal: AbortSignal | undefined;
}

/** Calls one server with one API key. */
export class EchoMind {
  readonly url: string;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;

  constructor({ url, apiKey, fetch: send = fetch }: EchoMindOptions) {
    this.url = url.replace(/\/+$/, "");
    this.#apiKey = apiKey;
    this.#fetch = send;
  }

  /** Sends a request and returns the response; throws `ApiError` unless it succeeded. */
  async send(method: string, path: string, { query, body, accept, signal }: RequestParts): Promise<Response> {
    const headers: Record<string, string> = { Accept: accept, Authorization: `Bearer ${this.#apiKey}` };
    const init: RequestInit = { method, headers };
    if (body instanceof FormData) {
      init.body = body; // the boundary between its parts is in a header of its own
    } else if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    if (signal) init.signal = signal;
    let response: Response;
    try {
      response = await this.#fetch(`${this.url}${path}${query.size > 0 ? `?${query.toString()}` : ""}`, init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, "UNREACHABLE", "", `Nothing answers at ${this.url}.`);
    }
    if (response.ok) return response;
    const text = await response.text();
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      // Not JSON, such as a proxy's error page: the status is enough.
      given = undefined;
    }
    throw errorOf(response.status, given);
  }
}
