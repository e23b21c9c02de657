// Keeps what the page to try positions on has loaded, so that it opens quickly again, and without a network. The folder of
// the engine is named by its content, so that it is loaded once. Everything else is asked of the server first.

const KEPT = "datc-check-play"; // as in worker.mjs
const PACKED = ".packed"; // worker.mjs keeps what is in it
const ENGINE = /\/engine-[0-9a-f]+\//;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const isOwn = new URL(event.request.url).origin === self.location.origin;
  if (isOwn && event.request.method === "GET") event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const cache = await caches.open(KEPT);
  const kept = await cache.match(request);
  const engine = ENGINE.exec(request.url)?.[0];
  if (kept && engine) return kept;
  try {
    const response = await fetch(request, { cache: "no-cache" }); // So that all files are of one version.
    if (response.status === 200 && !request.url.endsWith(PACKED)) event.waitUntil(keep(cache, request, response.clone(), engine));
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

// A new engine takes the place of the one before. What was loaded by half is not kept.

async function keep(cache, request, response, engine) {
  await cache.put(request, response);
  if (!engine) return;
  const addresses = (await cache.keys()).map(({ url }) => url);
  await Promise.all(addresses.filter((url) => ENGINE.test(url) && !url.includes(engine)).map((url) => cache.delete(url)));
}
