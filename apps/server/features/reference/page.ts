import type { OpenApiDocument } from "@countersign/contract/openapi/openapi";
import type { JsonSchema } from "@countersign/contract/openapi/schemas";
import type { Operation, WebhookOperation } from "./document.ts";
import { type Html, html } from "./html.ts";
import { operationSection } from "./operation.ts";
import { resultsContents, resultsSection } from "./results.ts";
import { described, membersTable } from "./schema.ts";

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
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    type,
    recorded: post as WebhookOperation,
  }));
  const recorded: Html[] = [];
  for (const event of events) {
    recorded.push(eventSection(event.type, event.recorded));
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
  <p>Also available as an <a href="/openapi.json">OpenAPI 3.1 document</a>, and with just the two calls of applications as <a href="/openapi/public.json">another</a>.</p>
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
  <details open><summary>Webhook events</summary><ul>
    ${events.map((event) => html`<li><a href="#${event.recorded.operationId}">${event.type}</a></li>`)}
  </ul></details>
  <details><summary>Schemas</summary><ul>
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
    <h2 id="group-received">Webhook events</h2>
    ${eventsIntroduction(events.map((event) => event.recorded))}
    ${recorded}
  </section>
  <section class="group" aria-labelledby="group-shapes">
    <h2 id="group-shapes">Schemas</h2>
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
    <h2 id="group-start">Basics</h2>
    <p>The examples are for a terminal where <code>COUNTERSIGN</code> is set to the URL of this server. Replace the
    parts of a path that are in braces.</p>
    <ul>
      <li><b>Authentication.</b> Applications send their product's API key, <code>csk_…</code>, or in
      tests its test API key, <code>cskt_…</code>. Programs that use the management API send an access token, <code>cst_…</code>. Both go in <code>Authorization: Bearer …</code>. A
      signed-in browser sends its session cookie.</li>
      <li><b>Errors.</b> The management API responds with <a href="#schema-Problem">problem details</a> (RFC 9457).
      Switch on <code>code</code>, never on a sentence: codes do not change. Each operation lists its codes, and
      <a href="/problems">/problems</a> explains all of them.</li>
      <li><b>Pagination.</b> Lists come in pages: pass <code>next_cursor</code> back as <code>cursor</code> until it is
      null.</li>
      <li><b>Idempotency.</b> Send an <code>Idempotency-Key</code> with a POST: a repeat within 24 hours changes nothing
      and gets the same response.</li>
      <li><b>Concurrent changes.</b> Send the <code>ETag</code> that you read as <code>If-Match</code>, or its
      <code>updated_at</code> in the body. If someone else made a change in the meantime, yours is refused with 412.</li>
      <li><b>Access.</b> A resource that you cannot see responds with 404, like one that does not exist.</li>
    </ul>
  </section>`;
}

/** One event type: its description and an example. */
function eventSection(type: string, { operationId, summary, requestBody }: WebhookOperation): Html {
  const content = requestBody?.content["application/json"];
  const data = content?.schema.properties?.data;
  return html`<article id="${operationId}">
    <h3>${summary} <a class="anchor" href="#${operationId}" aria-label="Link to this">#</a></h3>
    <p class="address"><b class="method post">event</b> <code>${type}</code></p>
    ${data === undefined ? null : html`<h4>In <code>data</code></h4>${data.$ref === undefined ? membersTable(data) : described(data)}`}
    ${content?.example === undefined ? null : exampleOf(content.example)}
  </article>`;
}

/** What all of them have in common. */
function eventsIntroduction(operations: readonly WebhookOperation[]): Html {
  const [first] = operations;
  const headers = (first?.parameters ?? []).flatMap((one) => ("$ref" in one ? [] : [one]));
  return html`<p>Each is a <code>POST</code> to your endpoint with a JSON object that has <code>type</code>,
    <code>timestamp</code> and <code>data</code>. A response from 200 to 299 within 15 seconds means that it was delivered;
    otherwise it is retried: ten attempts in about three days. These headers prove that it is from this server:</p>
    ${membersTable({
      properties: Object.fromEntries(
        headers.map((one) => [one.name, { ...one.schema, description: one.description }]),
      ),
    })}`;
}

function exampleOf(example: unknown): Html {
  return html`<details><summary>Example</summary>
    <pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></details>`;
}
