// @vitest-environment jsdom
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEvents } from "./sse";

/** A response whose body arrives in the given pieces, and then ends, fails or stalls. */
function streamed(pieces: Uint8Array[], end: "close" | "break" | "hang" = "close"): Response {
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece) controller.enqueue(piece);
      else if (end === "close") controller.close();
      else if (end === "break") controller.error(new TypeError("network error"));
      else return new Promise(() => undefined);
      return undefined;
    },
  });
  return new Response(body);
}

async function all(response: Response, silenceMs?: number): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of readEvents(response, silenceMs)) events.push(event);
  return events;
}

const encode = (text: string) => new TextEncoder().encode(text);

test("events come out whole wherever the network cuts their bytes", async () => {
  const event = fc.record({ data: fc.string({ unit: "binary" }), id: fc.option(fc.nat()), comment: fc.boolean() });
  const newline = fc.constantFrom("\n", "\r\n");
  await fc.assert(
    fc.asyncProperty(fc.array(event), newline, fc.array(fc.nat(400)), async (events, line, cuts) => {
      const wire = events.map(({ data, id, comment }) =>
        [comment ? ":" : "", id === null ? "" : `id: ${id}`, `data: ${JSON.stringify(data)}`].filter(Boolean).join(line),
      );
      const bytes = encode(wire.map((text) => text + line + line).join(""));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));
      // Lone surrogates cannot be sent as UTF-8; JSON escapes them, so they survive.
      expect(await all(streamed(pieces))).toEqual(events.map(({ data }) => data));
    }),
  );
});

test("an error event ends the stream as the server's error", async () => {
  const error = { error: { code: "ABORTED", reason: "SLOW_READER", message: "Too slow.", metadata: { after: "7" } } };
  const response = streamed([encode(`data: 1\n\nevent: error\ndata: ${JSON.stringify(error)}\n\n`)]);
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const event of readEvents(response)) seen.push(event);
  })();
  await expect(reading).rejects.toMatchObject({ reason: "SLOW_READER", isTransient: true });
  expect(seen).toEqual([1]);
});

test("an event that the stream ends within is not an event", async () => {
  expect(await all(streamed([encode("data: 1\n\ndata: 2")]))).toEqual([1]);
});

test("a broken connection is a failure that may pass", async () => {
  await expect(all(streamed([encode("data: 1\n\n")], "break"))).rejects.toMatchObject({ code: "UNREACHABLE" });
});

test("silence counts as a broken connection", async () => {
  await expect(all(streamed([encode("data: 1\n\n")], "hang"), 5)).rejects.toMatchObject({ code: "UNREACHABLE" });
});
