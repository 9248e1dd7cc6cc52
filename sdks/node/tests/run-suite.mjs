// Runs the conformance suite against the built packages on Node.js or Deno: the client as ES module or CommonJS, or through
// a framework, with an adapter from this folder.
// run-suite.mjs <esm|cjs|./….mjs> <URL of the conformance server> <file for the JUnit report> <part of the suite>
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { runCase } from "./run-case.mjs";
import { runPortalUrl, runSignedWebhook, runWebhook } from "./run-data.mjs";

/** Which files of the suite each part has, and more than how many cases they must contain. */
const parts = {
  whole: { has: () => true, minimum: 580 },
  /** The cases as written: without their live variants and without every verdict of a real server. */
  written: { has: (file) => !/^(live variants of|outcomes of) /.test(file), minimum: 300 },
  real: { has: (file) => file === "real.json", minimum: 10 },
};

const [form, url, report, partName] = process.argv.slice(2);
const part = parts[partName];
const sdk =
  form === "cjs" ? createRequire(import.meta.url)("@countersign/node") : await import("@countersign/node");
const frameworkAdapter = form.startsWith("./") ? await import(form) : undefined;
const adapter = frameworkAdapter === undefined ? undefined : { ...frameworkAdapter, sdk };
const deno = globalThis.Deno?.version.deno;
const environment =
  deno === undefined
    ? `${frameworkAdapter?.framework ?? form} on Node.js ${process.version}`
    : `${form} on Deno ${deno}`;

/** Deno's fetch automatically retries a cut connection, and these two cases count requests. */
const skipped =
  deno === undefined
    ? []
    : [
        "errors.json: a connection that is cut twice is a connection error",
        "real.json: the grace period applies only while the server is unreachable",
      ];

const lines = [];
let failed = 0;
const suite = await (await fetch(`${url}/suite`)).json();
for (const [file, content] of Object.entries(suite)) {
  if (!part.has(file)) continue;
  const { cases = [], webhooks = [], signed_webhooks: signed = [], portal_urls: portalUrls = [] } = content;
  for (const one of cases) await run(`${file}: ${one.name}`, () => runCase(sdk, url, one, adapter));
  for (const one of webhooks) await run(`${file}: ${one.name}`, () => runWebhook(sdk, one, adapter));
  for (const one of signed) await run(`${file}: ${one.name}`, () => runSignedWebhook(sdk, one));
  for (const one of portalUrls) await run(`${file}: ${one.name}`, () => runPortalUrl(sdk, one, adapter));
}
writeFileSync(report, `<testsuites><testsuite>\n${lines.join("\n")}\n</testsuite></testsuites>\n`);
process.stdout.write(
  `${environment}: ${lines.length - failed} passed, ${failed} failed, ${skipped.length} skipped\n`,
);
const isComplete = lines.length > part.minimum;
if (!isComplete) process.stdout.write(`The suite must have more than ${part.minimum} cases.\n`);
process.exit(failed === 0 && isComplete ? 0 : 1);

async function run(name, work) {
  if (skipped.includes(name)) return;
  const open = `<testcase classname="${escaped(environment)}" name="${escaped(name)}"`;
  try {
    await work();
    lines.push(`${open}/>`);
  } catch (error) {
    failed += 1;
    lines.push(`${open}><failure message="${escaped(String(error))}"/></testcase>`);
    process.stdout.write(`(fail) ${environment}: ${name}\n${error?.stack ?? error}\n`);
  }
}

function escaped(text) {
  return text.replace(/[<>&"\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
