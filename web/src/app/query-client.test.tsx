import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { createQueryClient } from "./query-client";

/** A server whose first answer is held back until `release`, and was made before the change. */
function slowServer() {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  const read = async () => {
    asked += 1;
    if (asked > 1) return "new";
    await held;
    return "old";
  };
  return { read, release: () => release() };
}

test("a change is shown although an older first answer arrives after it", async () => {
  const client = createQueryClient();
  const { read, release } = slowServer();
  const observer = new QueryObserver(client, { queryKey: ["items", 1], queryFn: read });
  const stop = observer.subscribe(() => {});
  await client.invalidateQueries({ queryKey: ["items"] });
  release();
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("new"));
  await new Promise((resolve) => setTimeout(resolve));
  expect(observer.getCurrentResult()).toMatchObject({ data: "new", fetchStatus: "idle", error: null });
  stop();
});

test("the same for a list that is read page by page", async () => {
  const client = createQueryClient();
  const { read, release } = slowServer();
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["items", "pages"],
    queryFn: read,
    initialPageParam: "",
    getNextPageParam: () => undefined,
  });
  const stop = observer.subscribe(() => {});
  await client.invalidateQueries({ queryKey: ["items"] });
  release();
  await vi.waitFor(() => expect(observer.getCurrentResult().data?.pages).toEqual(["new"]));
  await new Promise((resolve) => setTimeout(resolve));
  expect(observer.getCurrentResult()).toMatchObject({ fetchStatus: "idle", error: null });
  stop();
});

test("what nobody shows is not asked again", async () => {
  const client = createQueryClient();
  const { read, release } = slowServer();
  const fetched = client.query({ queryKey: ["items"], queryFn: read });
  await client.invalidateQueries({ queryKey: ["items"] });
  release();
  expect(await fetched).toBe("old");
});
