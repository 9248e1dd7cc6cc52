import type { Fault } from "../fault.ts";

export const sdks: readonly Fault[] = [
  // Node.js
  {
    name: "the Node.js client accepts a signed response to an earlier request",
    why: "Whoever records one valid response can replay it after the license was revoked.",
    find: `if (nonce !== request.nonce) return { problem: "nonce" };`,
    replace: `if (nonce === "") return { problem: "nonce" };`,
    guards: ["sdks/node/tests/conformance.test.ts"],
  },
  {
    name: "the Node.js client grants access for a status that it does not know",
    why: "A status that a newer server introduces for a restriction opens every app with an older SDK.",
    find: `valid: value.valid && value.status === "active",`,
    replace: `valid: value.valid,`,
    guards: ["sdks/node/tests/conformance.test.ts"],
  },
  {
    name: "the Node.js client passes the license key of a lookup to its hooks",
    why: "License keys of customers end up in the log of the app.",
    find: `path: request.shownPath, attempt };`,
    replace: `path: request.path, attempt };`,
    guards: ["sdks/node/tests/reporting.test.ts"],
  },
  {
    name: "the Node.js client works on the grace period of one license at the same time",
    why: "A revoked license gets its grace period back if it is rejected while another call reads the store.",
    find: `previous.then(work, work)`,
    replace: `work()`,
    guards: ["sdks/node/tests/grace-store.test.ts"],
  },
  {
    name: "the Node.js client accepts a webhook delivery with any time in the future",
    why: "A delivery that is dated ahead can be replayed for as long as its sender likes.",
    find: `Math.abs(nowSeconds - Number(timestamp)) > tolerance`,
    replace: `nowSeconds - Number(timestamp) > tolerance`,
    guards: ["sdks/node/tests/conformance.test.ts"],
  },
  {
    name: "the middleware for JavaScript gives a token back for unknown keys instead of known ones",
    why: "Made-up keys use up the product's daily limit, and customers behind one IP address are refused.",
    find: `if (!isSpent) caller.free = Math.min(this.#perMinute`,
    replace: `if (isSpent) caller.free = Math.min(this.#perMinute`,
    guards: ["sdks/node/tests/http/unknown-key-limit.test.ts", "sdks/express/tests/middleware.mjs"],
  },
  {
    name: "the middleware for JavaScript reuses the decision on another version for the same request",
    why: "A route for a version that the license does not allow is open to it.",
    find: `decided?.requestKey === requestKey && decided.client === client`,
    replace: `decided !== undefined && decided.client === client`,
    guards: ["sdks/node/tests/http/license-gate.test.ts"],
  },

  // Express and NestJS
  {
    name: "Express lets a refused request in if the function that responds to it fails",
    why: "A mistake in the page for refused requests opens the app to everyone.",
    find: `else next(error);`,
    replace: `else next();`,
    guards: ["sdks/express/tests/middleware.mjs"],
  },
  {
    name: "Express confirms a webhook delivery before its handler has completed",
    why: "An event whose handler fails is not delivered again, and the failure ends the process.",
    find: `await onEvent(event, request);\n        response.status(204).end();`,
    replace: `onEvent(event, request);\n        response.status(204).end();`,
    guards: ["sdks/express/tests/middleware.mjs"],
  },
  {
    name: "NestJS ignores @RequireLicense on a method if its class has @SkipLicense",
    why: "A method that the developer protects explicitly is open to everyone.",
    find: `if (this.#reflector.get(requiredKey, target) !== undefined) return false;`,
    replace: ``,
    guards: ["sdks/nestjs/tests/guards.ts"],
  },

  // Python
  {
    name: "the Python client rejects signed responses if the clock is wrong by more than the tolerance",
    why: "Customers whose clock is wrong by ten minutes are locked out.",
    find: `if abs(skew_seconds) > _MAX_SKEW_SECONDS:`,
    replace: `if abs(skew_seconds) > signing.tolerance_seconds:`,
    guards: ["sdks/python/tests/test_conformance.py"],
  },
  {
    name: "the Python client waits for a retry however long the server asks for",
    why: "A call with a timeout of five seconds blocks its thread for up to a day.",
    find: `attempt > call.retries or pause >= call.seconds_left`,
    replace: `attempt > call.retries`,
    guards: ["sdks/python/tests/test_conformance.py"],
  },
  {
    name: "the Python client starts its timeout again with every part of a response",
    why: "A slow server keeps the threads of the app waiting without a limit.",
    find: `self._apply_deadline()\n        count = self._socket.recv_into(buffer)`,
    replace: `count = self._socket.recv_into(buffer)`,
    guards: ["sdks/python/tests/test_responses.py"],
  },
  {
    name: "the Python client does not bind a stored grace period to its device",
    why: "One copied file makes any number of machines work offline with one license.",
    find: `json.dumps([self._device_id, license, text])`,
    replace: `json.dumps([license, text])`,
    guards: ["sdks/python/tests/test_grace_processes.py", "sdks/python/tests/test_conformance.py"],
  },
  {
    name: "Django skips every path that starts with the text of a skipped one",
    why: "With /public skipped, /public-reports requires no license.",
    find: `path.startswith(f"{one}/")`,
    replace: `path.startswith(one)`,
    guards: ["sdks/python/tests/test_django.py"],
  },
  {
    name: "the middleware of Starlette and FastAPI lets WebSockets in without a license",
    why: "Whatever an app sends over WebSockets is free for everyone.",
    find: `scope["type"] not in ("http", "websocket")`,
    replace: `scope["type"] != "http"`,
    guards: ["sdks/python/tests/test_fastapi.py"],
  },

  // Java and Spring
  {
    name: "the Java client accepts only the last of several signing secrets",
    why: "During a rotation of the secret, every app with both secrets stops working.",
    find: `matches |= MessageDigest.isEqual(expected, claimed);`,
    replace: `matches = MessageDigest.isEqual(expected, claimed);`,
    guards: ["sdks/java/src/test/java/io/countersign/ConformanceTest.java"],
  },
  {
    name: "the Java client forgets a rejection that the grace store could not remove",
    why: "A revoked license stays valid offline if its file cannot be removed.",
    find: `rejected.put(license, true);`,
    replace: ``,
    guards: ["sdks/java/src/test/java/io/countersign/GraceTest.java"],
  },
  {
    name: "the Java client counts a date in Retry-After from its own clock instead of the server's",
    why: "After a 429, an app whose clock is behind sends nothing for hours too long.",
    find: `long startMillis = serverMillis == null ? wallMillis : serverMillis;`,
    replace: `long startMillis = wallMillis;`,
    guards: ["sdks/java/src/test/java/io/countersign/ConformanceTest.java"],
  },
  {
    name: "Spring prefers @SkipLicense of a superclass to @RequireLicense of the controller",
    why: "A controller that the developer protects explicitly is open to everyone.",
    find: ` && (!require.isPresent() || skip.getAggregateIndex() < require.getAggregateIndex()))`,
    replace: `)`,
    guards: ["sdks/java-spring/src/test/java/io/countersign/spring/RefusalTest.java"],
  },
  {
    name: "Spring accepts the sandbox by default",
    why: "The fixed license keys of the sandbox, which everyone knows, open an app with a test API key.",
    find: `@DefaultValue("false") boolean allowSandbox`,
    replace: `@DefaultValue("true") boolean allowSandbox`,
    guards: ["sdks/java-spring/src/test/java/io/countersign/spring/StarterTest.java"],
  },
  {
    name: "the text of Spring's properties contains the API key",
    why: "The API key ends up in the log of an app that logs its configuration.",
    find: `return "CountersignProperties[baseUrl=" + baseUrl + "]";`,
    replace: `return "CountersignProperties[apiKey=" + apiKey + ", baseUrl=" + baseUrl + "]";`,
    guards: ["sdks/java-spring/src/test/java/io/countersign/spring/StarterTest.java"],
  },
];
