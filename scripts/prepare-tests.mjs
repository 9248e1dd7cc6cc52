// Builds or installs what some tests need, beside the others: with `dashboard`, the dashboard, for tests with a server, and
// with `stripe-mock`, Stripe's test server, for tests of payments.
import { ensureBuilt } from "./built.mjs";
import { ensureStripeMock } from "./test-programs.mjs";

if (process.argv.includes("dashboard")) ensureBuilt("web");
if (process.argv.includes("stripe-mock")) ensureStripeMock();
