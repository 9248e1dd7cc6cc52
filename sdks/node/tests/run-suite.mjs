// The conformance suite against the built packages, on whatever runs this: the client as ES module or CommonJS, on Node.js
// or Deno; or through a framework, by a module beside this one.
// run-suite.mjs <esm|cjs|./through-….mjs> <URL of the conformance server> <file for the JUnit report> [<a file of the suite>]
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { runCase, runWebhook } from "./run-case.mjs";

const [form, url, report, only] = process.argv.slice(2);
const sdk =
  form === "cjs" ? createRequire(import.meta.url)("@countersign/node") : await import("@countersign/node");
const through = form.startsWith("./") ? await import(form) : undefined;
const door = through === undefined ? undefined : { ...through, sdk };
const deno = globalThis.Deno?.version.deno;
const where =
  deno === undefined ? `${through?.where ?? form} on Node.js ${process.version}` : `${form} on Deno ${deno}`;

/** Deno's own fetch asks once more when a connection is cut, and these two count what left. */
const leftOut =
  deno === undefined
    ? []
    : [
        "errors.json: a connection that is cut twice is a connection error",
        "real.json: grace after a real answer, until there is another",
      ];

const lines = [];
let failed = 0;
const suite = await (await fetch(`${url}/suite`)).json();
for (const [file, { cases = [], webhooks = [] }] of Object.entries(suite)) {
  if (only !== undefined && file !== only) continue;
  for (const one of cases) await run(`${file}: ${one.name}`, () => runCase(sdk, url, one, door));
  for (const one of webhooks) await run(`${file}: ${one.name}`, () => runWebhook(sdk, one, door));
}
writeFileSync(report, `<testsuites><testsuite>\n${lines.join("\n")}\n</testsuite></testsuites>\n`);
process.stdout.write(
  `${where}: ${lines.length - failed} passed, ${failed} failed, ${leftOut.length} left out\n`,
);
process.exit(failed === 0 && lines.length > (only === undefined ? 300 : 10) ? 0 : 1);

async function run(name, work) {
  if (leftOut.includes(name)) return;
  const open = `<testcase classname="${escaped(where)}" name="${escaped(name)}"`;
  try {
    await work();
    lines.push(`${open}/>`);
  } catch (error) {
    failed += 1;
    lines.push(`${open}><failure message="${escaped(String(error))}"/></testcase>`);
    process.stdout.write(`(fail) ${where}: ${name}\n${error?.stack ?? error}\n`);
  }
}

function escaped(text) {
  return text.replace(/[<>&"\n]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
