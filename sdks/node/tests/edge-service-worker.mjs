// A service worker that runs the checks when it gets a message.
import { runChecks } from "./edge-checks.mjs";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("message", (event) => {
  event.waitUntil(runChecks(self.location.origin).then((results) => event.ports[0].postMessage(results)));
});
