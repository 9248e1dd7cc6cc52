import { describe, setDefaultTimeout } from "bun:test";
import { on } from "../support/databases.ts";
import { accessTests } from "./access.ts";
import { routesFixture } from "./fixture.ts";
import { generatedRequestTests } from "./generated.ts";
import { inputTests, serverOwnedFieldTests } from "./input.ts";
import { portalAccessTests } from "./portal-access.ts";

setDefaultTimeout(3_600_000);

// In this order: requests that change nothing come first, because the tests compare the whole database.
describe.each(on("postgres"))("every route on $kind", ({ make }) => {
  const routes = routesFixture(make);
  accessTests(routes);
  serverOwnedFieldTests(routes);
  portalAccessTests(routes);
  inputTests(routes);
  generatedRequestTests(routes);
});
