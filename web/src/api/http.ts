/** Requests to the API: ProtoJSON in and out, errors as `ApiError`. */
import { t } from "@lingui/core/macro";
import { addressOf } from "@/ui/base-path";
import { noteAnswer } from "@/ui/connection";
import { errorWords } from "./error-words";

/** Proves that a write comes from this page: other sites cannot set this header. */
const CSRF_HEADER = { "X-EchoMind-CSRF": "1" };

/** Values by name; a list repeats its name, undefined and empty values are omitted. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

type QueryValue = string | number | boolean | undefined;

interface RequestOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** A failure that the server explained, or that the connection caused (`code` is then `UNREACHABLE`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;

  constructor(status: number, code: string, reason: string, message: string, metadata: Record<string, string> = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.metadata = metadata;
  }

  /** Whether a retry of the same request may succeed. */
  get isTransient(): boolean {
    return (
      ["UNREACHABLE", "UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"].includes(this.code) ||
      [429, 502, 503, 504].includes(this.status)
    );
  }

  /** Returns the delay requested by the server before a retry, in milliseconds; 0 for none. */
  get retryAfterMs(): number {
    return Math.max(0, Number(this.metadata["retry_after_seconds"] ?? 0) * 1000) || 0;
  }
}

/** Reads `{"error": {...}}`; anything else becomes an error that names the HTTP status. */
export function errorOf(status: number, body: unknown): ApiError {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const text = (key: string, otherwise: string) => (typeof error[key] === "string" ? error[key] : otherwise);
  const metadata = isRecord(error["metadata"])
    ? Object.fromEntries(Object.entries(error["metadata"]).map(([key, value]) => [key, String(value)]))
    : {};
  const reason = text("reason", "");
  const message = errorWords(reason, text("message", t`The server answered with HTTP status ${status}.`));
  return new ApiError(status, text("code", "UNKNOWN"), reason, message, metadata);
}

/** The error of a request without a response. */
function unreachable(): ApiError {
  return new ApiError(0, "UNREACHABLE", "", t`EchoMind does not answer. Check that it is running, then try again.`);
}

/** Sends a request and returns the response; throws `ApiError` unless it succeeded. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { query, body, headers, signal } = options;
  let response: Response;
  try {
    response = await fetch(addressOf(path) + queryString(query), {
      method,
      credentials: "same-origin",
      headers: {
        Accept: "application/json",
        ...(method === "GET" ? {} : CSRF_HEADER),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    noteAnswer(false);
    throw unreachable();
  }
  noteAnswer(true);
  if (!response.ok) throw errorOf(response.status, parseJson(await response.text()));
  return response;
}

/** Sends a request and returns its JSON body, which has type `T` by the contract. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return (text ? JSON.parse(text) : {}) as T;
}

/** Sends a file with its form fields, reporting how much is sent (0 to 1). */
export function upload<T>(path: string, form: FormData, onProgress: (sent: number) => void, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // fetch() cannot report upload progress.
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    xhr.open("POST", addressOf(path));
    for (const [name, value] of Object.entries(CSRF_HEADER)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    xhr.onload = () => {
      const body = parseJson(xhr.responseText);
      if (xhr.status >= 200 && xhr.status < 300) resolve(body as T);
      else reject(errorOf(xhr.status, body));
    };
    xhr.onerror = () => reject(unreachable());
    xhr.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    xhr.onloadend = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort);
    xhr.send(form);
  });
}

function queryString(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) if (value !== undefined && value !== "") parameters.append(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, such as a proxy's error page: the status is enough.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
