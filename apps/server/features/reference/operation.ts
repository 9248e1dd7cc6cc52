import type { JsonSchema } from "@countersign/contract/openapi/schemas";
import { type Answer, type Components, type Operation, type Parameter, resolved } from "./document.ts";
import { type Html, html, prose } from "./html.ts";
import { described, membersTable } from "./schema.ts";

export function operationSection(
  method: string,
  path: string,
  operation: Operation,
  components: Components,
): Html {
  const parameters = operation.parameters.map((one) => resolved<Parameter>(one, components));
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary} <a class="anchor" href="#${operation.operationId}" aria-label="Link to this">#</a></h3>
    <p class="address"><b class="method ${method}">${method}</b> <code>${breakable(path)}</code></p>
    <p>${prose(operation.description)}</p>
    ${(["path", "query", "header"] as const).map((where) =>
      parametersTable(
        where,
        parameters.filter((one) => one.in === where),
      ),
    )}
    ${body(operation)}
    <h4>Responses</h4>
    <table>
      ${Object.entries(operation.responses).map(
        ([status, given]) => html`<tr>
        <th scope="row"><code>${status}</code></th>
        <td>${answer(resolved<Answer>(given, components))}</td>
      </tr>`,
      )}
    </table>
    <h4>Example</h4>
    <pre tabindex="0"><code>${curlExample(method, path, operation, components)}</code></pre>
  </article>`;
}

function parametersTable(where: Parameter["in"], parameters: readonly Parameter[]): Html | null {
  if (parameters.length === 0) return null;
  const titles = { path: "In the path", query: "In the query", header: "In headers" };
  return html`<h4>${titles[where]}</h4>
    ${membersTable({
      required: parameters.filter((one) => one.required && where !== "path").map((one) => one.name),
      properties: Object.fromEntries(
        parameters.map((one) => [one.name, { ...one.schema, description: one.description }]),
      ),
    })}`;
}

function body({ requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null;
  const [[type, content] = []] = Object.entries(requestBody.content);
  if (type === undefined || content === undefined) return null;
  const types = Object.keys(requestBody.content).join(" or ");
  return html`<h4>Body <small>${types}${requestBody.required ? "" : ", optional"}</small></h4>
    ${content.schema.$ref === undefined ? membersTable(content.schema) : described(content.schema)}`;
}

function answer({ description, content }: Answer): Html {
  const types = Object.entries(content ?? {});
  const [[type, first] = []] = types;
  if (type === undefined || first === undefined) return html`${description}`;
  if (type === "application/problem+json") return html`${description}`;
  if (type !== "application/json")
    return html`${description} <small>${types.map(([name]) => name).join(" or ")}</small>`;
  return html`${description} ${described(first.schema)}`;
}

/** A long path can break at its slashes. */
function breakable(path: string): Html {
  return html`${path.split("/").map((part, index) => (index === 0 ? part : html`<wbr>/${part}`))}`;
}

/** A call that can be pasted into a terminal. */
function curlExample(method: string, path: string, operation: Operation, components: Components): string {
  const lines = [`curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} '$COUNTERSIGN${path}'`];
  const isPublic = operation.security?.some((scheme) => "productApiKey" in scheme) === true;
  const takesToken = operation.security?.some((scheme) => "accessToken" in scheme) === true;
  if (isPublic || takesToken) lines.push(`-H 'Authorization: Bearer ${isPublic ? "csk_…" : "cst_…"}'`);
  else if ((operation.security ?? []).length > 0)
    lines.push(`-H "Origin: $COUNTERSIGN" -H 'Cookie: __Host-countersign.session_token=…'`);
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined && content !== undefined) {
    lines.push(`-H 'Content-Type: ${type}'`);
    if (type === "application/json") {
      const body = JSON.stringify(sample(content.schema, components, 0), null, 2);
      lines.push(`-d '${body.replaceAll("'", "'\\''")}'`);
    } else {
      lines.push("--data-binary @file");
    }
  }
  return lines.join(" \\\n  ").replace("'$COUNTERSIGN", `"$COUNTERSIGN"'`);
}

const deepest = 8;

/** An example of a schema with its required members; with all of them if none is required. */
function sample(given: JsonSchema, components: Components, depth: number): unknown {
  const schema =
    given.$ref === undefined ? given : resolved<JsonSchema & object>({ $ref: given.$ref }, components);
  if (depth > deepest) return null;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice !== undefined) return sample(choice, components, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const properties = Object.entries(schema.properties ?? {});
      const required = properties.filter(([name]) => schema.required?.includes(name));
      const shown =
        required.length > 0 ? required : properties.filter(([name]) => name !== "updated_at").slice(0, 2);
      return Object.fromEntries(
        shown.map(([name, property]) => [name, known[name] ?? sample(property, components, depth + 1)]),
      );
    }
    case "array":
      return schema.items === undefined ? [] : [sample(schema.items, components, depth + 1)];
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return true;
    case "string":
      return schema.format === "date-time" ? "2031-01-02T03:04:05Z" : "…";
    default:
      return null;
  }
}

/** Realistic values. */
const known: Readonly<Record<string, unknown>> = {
  name: "Waveform Studio",
  email: "ada@example.com",
  customer_email: "ada@example.com",
  license_key: "7GQ4-9KXM-2WDP-RT6B",
  cidr: "203.0.113.0/24",
  version: "2.1.0",
  reason: "The customer asked for a refund.",
};
