import { faultsIn } from "../faults-in.ts";

export const sdks = faultsIn(`
# Node.js
the Node.js client accepts a signed response to an earlier request
  Whoever records one valid response can replay it after the license was revoked.
  - if (nonce !== request.nonce) return { problem: "nonce" };
  + if (nonce === "") return { problem: "nonce" };
  sdks/node/tests/conformance.test.ts
the Node.js client grants access for a status that it does not know
  A status that a newer server introduces for a restriction opens every app with an older SDK.
  - valid: value.valid && value.status === "active",
  + valid: value.valid,
  sdks/node/tests/conformance.test.ts
the Node.js client takes the 401 or 429 of a firewall for the server's
  One answer of a firewall ends every grace period, or stops the app for a day.
  - if (!isRefusal(response)) return null;
  + if (response.status !== 401 && response.status !== 429) return null;
  sdks/node/tests/conformance.test.ts
the Node.js client reads an expiry that is not a time as none
  A license whose expiry is damaged on its way is valid for ever.
  - if (date === null) throw new UnreadableMember();
  sdks/node/tests/conformance.test.ts
the Node.js client passes the license key of a lookup to its hooks
  License keys of customers end up in the log of the app.
  - path: request.shownPath, attempt };
  + path: request.path, attempt };
  sdks/node/tests/reporting.test.ts
the Node.js client works on the grace period of one license at the same time
  A revoked license gets its grace period back if it is rejected while another call reads the store.
  - previous.then(work, work)
  + work()
  sdks/node/tests/grace-store.test.ts
the Node.js client accepts a webhook delivery with any time in the future
  A delivery that is dated ahead can be replayed for as long as its sender likes.
  - Math.abs(nowSeconds - Number(timestamp)) > tolerance
  + nowSeconds - Number(timestamp) > tolerance
  sdks/node/tests/conformance.test.ts
the middleware for JavaScript gives a token back for unknown keys instead of known ones
  Made-up keys use up the product's daily limit, and customers behind one IP address are refused.
  - if (!isSpent) caller.free = Math.min(this.#perMinute
  + if (isSpent) caller.free = Math.min(this.#perMinute
  sdks/node/tests/http/unknown-key-limit.test.ts sdks/express/tests/middleware.mjs
the middleware for JavaScript reuses the decision on another version for the same request
  A route for a version that the license does not allow is open to it.
  - decided?.requestKey === requestKey && decided.client === client
  + decided !== undefined && decided.client === client
  sdks/node/tests/http/license-gate.test.ts
# Express and NestJS
Express lets a refused request in if the function that responds to it fails
  A mistake in the page for refused requests opens the app to everyone.
  - else next(error);
  + else next();
  sdks/express/tests/middleware.mjs
Express confirms a webhook delivery before its handler has completed
  An event whose handler fails is not delivered again, and the failure ends the process.
  - await onEvent(event, request);
  -         response.status(204).end();
  + onEvent(event, request);
  +         response.status(204).end();
  sdks/express/tests/middleware.mjs
NestJS ignores @RequireLicense on a method if its class has @SkipLicense
  A method that the developer protects explicitly is open to everyone.
  - if (this.#reflector.get(requiredKey, target) !== undefined) return false;
  sdks/nestjs/tests/guards.ts
# Python
the Python client rejects signed responses if the clock is wrong by more than the tolerance
  Customers whose clock is wrong by ten minutes are locked out.
  - if abs(skew_seconds) > _MAX_SKEW_SECONDS:
  + if abs(skew_seconds) > signing.tolerance_seconds:
  sdks/python/tests/test_conformance.py
the Python client takes Early Hints for the final response
  Behind a CDN that sends them, no license can be validated.
  - while 100 <= self.status < 200 and self.status != http.client.SWITCHING_PROTOCOLS:
  + while self.status == 100:
  sdks/python/tests/test_conformance.py
the Python client waits for a retry however long the server asks for
  A call with a timeout of five seconds blocks its thread for up to a day.
  - attempt > call.retries or pause >= call.seconds_left
  + attempt > call.retries
  sdks/python/tests/test_conformance.py
the Python client starts its timeout again with every part of a response
  A slow server keeps the threads of the app waiting without a limit.
  - self._apply_deadline()
  -         count = self._socket.recv_into(buffer)
  + count = self._socket.recv_into(buffer)
  sdks/python/tests/test_responses.py
the Python client does not bind a stored grace period to its device
  One copied file makes any number of machines work offline with one license.
  - json.dumps([self._device_id, license, text])
  + json.dumps([license, text])
  sdks/python/tests/test_grace_processes.py sdks/python/tests/test_conformance.py
Django skips every path that starts with the text of a skipped one
  With /public skipped, /public-reports requires no license.
  - path.startswith(f"{one}/")
  + path.startswith(one)
  sdks/python/tests/test_django.py
the middleware of Starlette and FastAPI lets WebSockets in without a license
  Whatever an app sends over WebSockets is free for everyone.
  - scope["type"] not in ("http", "websocket")
  + scope["type"] != "http"
  sdks/python/tests/test_fastapi.py
# Java and Spring
the Java client keeps a cause that shows a key
  A server that sends requests back puts API keys and license keys into the log of the app.
  - return pattern.matcher(shown.toString()).find() ? null : failure;
  + return failure;
  sdks/java/src/test/java/io/countersign/ConformanceTest.java
the Java client accepts only the last of several signing secrets
  During a rotation of the secret, every app with both secrets stops working.
  - matches |= MessageDigest.isEqual(expected, claimed);
  + matches = MessageDigest.isEqual(expected, claimed);
  sdks/java/src/test/java/io/countersign/ConformanceTest.java
the Java client forgets a rejection that the grace store could not remove
  A revoked license stays valid offline if its file cannot be removed.
  - rejected.put(license, true);
  sdks/java/src/test/java/io/countersign/GraceTest.java
the Java client counts a date in Retry-After from its own clock instead of the server's
  After a 429, an app whose clock is behind sends nothing for hours too long.
  - long startMillis = serverMillis == null ? wallMillis : serverMillis;
  + long startMillis = wallMillis;
  sdks/java/src/test/java/io/countersign/ConformanceTest.java
Spring prefers @SkipLicense of a superclass to @RequireLicense of the controller
  A controller that the developer protects explicitly is open to everyone.
  -  && (!require.isPresent() || skip.getAggregateIndex() < require.getAggregateIndex()))
  + )
  sdks/java-spring/src/test/java/io/countersign/spring/RefusalTest.java
Spring accepts the sandbox by default
  The fixed license keys of the sandbox, which everyone knows, open an app with a test API key.
  - @DefaultValue("false") boolean allowSandbox
  + @DefaultValue("true") boolean allowSandbox
  sdks/java-spring/src/test/java/io/countersign/spring/StarterTest.java
the text of Spring's properties contains the API key
  The API key ends up in the log of an app that logs its configuration.
  - return "CountersignProperties[baseUrl=" + baseUrl + "]";
  + return "CountersignProperties[apiKey=" + apiKey + ", baseUrl=" + baseUrl + "]";
  sdks/java-spring/src/test/java/io/countersign/spring/StarterTest.java
`);
