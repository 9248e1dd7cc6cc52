import { setDefaultTimeout } from "bun:test";
import { testsOn } from "../support/tests-on.ts";
import { accessTests } from "./access.ts";
import { openRoutes } from "./fixture.ts";
import { generatedRequestTests } from "./generated.ts";
import { inputTests, serverOwnedFieldTests } from "./input.ts";
import { portalAccessTests } from "./portal-access.ts";

setDefaultTimeout(3_600_000);

// In this order: requests that change nothing come first, because the tests compare the whole database.
testsOn("postgres", "every route", openRoutes, (routes) => {
  accessTests(routes);
  serverOwnedFieldTests(routes);
  portalAccessTests(routes);
  inputTests(routes);
  generatedRequestTests(routes);
});
