/** A failure that the server explained, or that the connection caused (`code` is then `UNREACHABLE`). */
export class ApiError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Canonical code, such as `NOT_FOUND`. */
  readonly code: string;
  /** EchoMind's reason, such as `RUN_ACTIVE`; empty if there is none. */
  readonly reason: string;
  /** Details by name. */
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
    return ["UNREACHABLE", "UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"].includes(this.code) || [429, 502, 503, 504].includes(this.status);
  }
}

/** Reads `{"error": {...}}`; anything else becomes an error that names the HTTP status. */
export function errorOf(status: number, body: unknown): ApiError {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const text = (key: string, otherwise: string) => (typeof error[key] === "string" ? error[key] : otherwise);
  const given = isRecord(error["metadata"]) ? error["metadata"] : {};
  const metadata = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
  return new ApiError(status, text("code", "UNKNOWN"), text("reason", ""), text("message", `The server answered with HTTP status ${status}.`), metadata);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
