import type { OpenApiDocument } from "@countersign/contract/openapi";
import type { JsonSchema } from "@countersign/contract/openapi-schemas";
import type { Operation, Told } from "./document.ts";
import { eventSection, eventsIntroduction } from "./event.ts";
import { type Html, html } from "./html.ts";
import { operationSection } from "./operation.ts";
import { resultsContents, resultsSection } from "./results.ts";
import { membersTable } from "./schema.ts";

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The whole reference as one page of plain HTML, which also works without the script. Generated in steps. */
export function* referencePage(document: OpenApiDocument): Generator<void, string> {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): Entry => ({ method, path, operation: operation as Operation }),
    ),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    id: tag.name.toLowerCase().replaceAll(/\W+/g, "-"),
    entries: entries.filter((entry) => entry.operation.tags.includes(tag.name)),
  }));
  const schemas = Object.entries(document.components.schemas ?? {}).sort(([a], [b]) => a.localeCompare(b));
  const sections = new Map<Entry, Html>();
  for (const entry of entries) {
    sections.set(entry, operationSection(entry.method, entry.path, entry.operation, document.components));
    yield;
  }
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({ type, told: post as Told }));
  const told: Html[] = [];
  for (const event of events) {
    told.push(eventSection(event.type, event.told));
    yield;
  }
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title} API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
  <h1>${document.info.title} <span>API reference</span></h1>
  <p>${document.info.description}</p>
  <p>The same as an <a href="/openapi.json">OpenAPI 3.1 document</a>. Answers that tell of a problem are
  <a href="#schema-Problem">problem details</a> (RFC 9457) in the management API.</p>
</header>
<nav aria-label="Contents">
  <label class="search" hidden>Search <input type="search" placeholder="revoke, /licenses, members:view…"></label>
  <p class="nothing" role="status" hidden>Nothing matches.</p>
  ${resultsContents()}
  ${groups.map(
    (group) => html`<details open><summary>${group.name}</summary><ul>
    ${group.entries.map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}"><b class="method ${method}">${method}</b> ${operation.summary}</a></li>`,
    )}
    </ul></details>`,
  )}
  <details open><summary>What webhooks receive</summary><ul>
    ${events.map((event) => html`<li><a href="#${event.told.operationId}">${event.type}</a></li>`)}
  </ul></details>
  <details><summary>Shapes</summary><ul>
    ${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
  </ul></details>
</nav>
<main id="content">
  ${introduction()}
  ${resultsSection()}
  ${groups.map(
    (group) => html`<section class="group" aria-labelledby="group-${group.id}">
    <h2 id="group-${group.id}">${group.name}</h2>
    ${group.description === undefined ? null : html`<p>${group.description}</p>`}
    ${group.entries.map((entry) => sections.get(entry) ?? null)}
    </section>`,
  )}
  <section class="group" aria-labelledby="group-received">
    <h2 id="group-received">What webhooks receive</h2>
    ${eventsIntroduction(events.map((event) => event.told))}
    ${told}
  </section>
  <section class="group" aria-labelledby="group-shapes">
    <h2 id="group-shapes">Shapes</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<article id="schema-${name}"><h3>${name}</h3>${membersTable(schema as JsonSchema)}</article>`,
    )}
  </section>
</main>
</body>
</html>
`;
  return page.text;
}

function introduction(): Html {
  return html`<section class="group" aria-labelledby="group-start">
    <h2 id="group-start">How it works</h2>
    <p>Examples are for a terminal in which <code>COUNTERSIGN</code> is the address of this server. A path goes on
    below it as it stands here, with what is in braces filled in.</p>
    <ul>
      <li><b>Who is asking.</b> Applications send their product's API key, <code>csk_…</code>. Programs that manage
      send an access token, <code>cst_…</code>. Both go into <code>Authorization: Bearer …</code>. A browser that is
      signed in sends its session cookie.</li>
      <li><b>Lists</b> come page by page: pass <code>next_cursor</code> back as <code>cursor</code> until it is
      null.</li>
      <li><b>Once.</b> With an <code>Idempotency-Key</code> of your own, a POST that is sent again within a
      day changes nothing more and gets the same answer.</li>
      <li><b>Nobody overwrites anybody.</b> Send the <code>ETag</code> you read as <code>If-Match</code>, or its
      <code>updated_at</code> in the body, and a change is refused with 412 if somebody was quicker.</li>
      <li><b>What is not yours does not exist.</b> The answer is 404, as for something that was never there.</li>
    </ul>
  </section>`;
}
