/** Server-sent events over fetch, which unlike EventSource can POST and shows the server's error. */
import { t } from "@lingui/core/macro";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiError, errorOf } from "./http";

/** The server sends something at least every 15 s; after this long in silence the connection counts as dead. */
const SILENCE_MS = 45_000;

/**
 * Yields the JSON data of each event until the server ends the stream.
 *
 * Throws `ApiError`: the one that the server ended the stream with (an event named `error`), or `UNREACHABLE` when the
 * connection broke or was silent for too long.
 */
export async function* readEvents<T>(response: Response, silenceMs: number = SILENCE_MS): AsyncGenerator<T> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, silenceMs);
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

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(broken()), silenceMs);
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
  return new ApiError(0, "UNREACHABLE", "", t`The connection was lost.`);
}
