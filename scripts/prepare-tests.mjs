// Builds or installs what some tests need, beside the others: with `dashboard`, the dashboard, for tests with a server,
// with `docs`, the documentation, with `stripe-mock`, Stripe's test server, for tests of payments, and with `keyport`,
// KeyPort's client for Python.
import { ensureBuilt } from "./built.mjs";
import { ensureKeyPort, ensureStripeMock } from "./test-programs.mjs";

if (process.argv.includes("dashboard")) ensureBuilt("web");
if (process.argv.includes("docs")) ensureBuilt("docs");
if (process.argv.includes("stripe-mock")) ensureStripeMock();
if (process.argv.includes("keyport")) ensureKeyPort();
