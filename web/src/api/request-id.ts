/** Creates an idempotency key. Not randomUUID(), which exists over HTTPS and on this machine only. */
export function newRequestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
