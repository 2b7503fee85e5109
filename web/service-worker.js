/* global URL, caches, fetch, location, self */
/**
 * The service worker: keeps the files of the pages that were opened, so that they open without a connection.
 *
 * It answers for files below `assets/`, whose names contain a hash of their content, and gives the page of the app when
 * the server cannot be reached. Everything else, above all the API, goes to the network as if it were not there.
 */
const VERSION = "VERSION";
/** What the first page loads, relative to the scope. */
const FIRST = ["FIRST"];
const PREFIX = "echomind-";
const CACHE = `${PREFIX}${VERSION}`;
/** How many builds are kept: pages of the one before may still be open, and the server has only the newest. */
const KEPT_BUILDS = 2;
const SCOPE = new URL(self.registration.scope).pathname;
/** Paths that have pages of their own, which are never replaced by the app's. */
const OTHERS = /^(?:api|auth|v1|docs|mcp|scim|healthz|readyz|metrics|shared|sandbox)(?:[/:]|$)/;

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => event.waitUntil(keep(event.data.loaded)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(SCOPE)) return;
  const path = pathname.slice(SCOPE.length);
  if (request.mode === "navigate") {
    if (!OTHERS.test(path)) event.respondWith(page(request));
  } else if (path.startsWith("assets/") && !request.headers.has("range")) {
    event.respondWith(asset(request));
  }
});

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll([SCOPE, `${SCOPE}theme.js`, ...FIRST.map((name) => SCOPE + name)]);
  await self.skipWaiting();
}

/** Keeps the files that a page loaded before this was there; the browser has them, so they are not loaded again. */
async function keep(addresses) {
  const cache = await caches.open(CACHE);
  for (const address of addresses) {
    const { origin, pathname } = new URL(address);
    if (origin !== location.origin || !pathname.startsWith(`${SCOPE}assets/`) || (await caches.match(address))) continue;
    await cache.add(address);
  }
}

async function activate() {
  // In the order in which they were made.
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  const kept = new Set([CACHE, ...names.filter((name) => name !== CACHE).slice(1 - KEPT_BUILDS)]);
  await Promise.all(names.filter((name) => !kept.has(name)).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The server's page, or the kept one without a connection. */
async function page(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(SCOPE, { cacheName: CACHE });
    if (!kept) throw error;
    return kept;
  }
}

/** A file as it is kept; otherwise the server's, which is kept from then on. */
async function asset(request) {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.status === 200 && response.type === "basic") {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}
