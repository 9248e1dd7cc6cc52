import type { WebhookOperation } from "./document.ts";
import { type Html, html } from "./html.ts";
import { described, membersTable } from "./schema.ts";

/** One event type: its description and an example. */
export function eventSection(type: string, { operationId, summary, requestBody }: WebhookOperation): Html {
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
export function eventsIntroduction(operations: readonly WebhookOperation[]): Html {
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
