// Builds and installs what most tests need and the first ones do not: the dashboard, for tests in a browser, and Stripe's
// test server.
import { ensureBuilt } from "./built.mjs";
import { ensureStripeMock } from "./stripe-mock.mjs";

if (process.argv.includes("--dashboard")) ensureBuilt("web");
ensureStripeMock();
