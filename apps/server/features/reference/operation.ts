import { type Answer, type Components, type Operation, type Parameter, resolved } from "./document.ts";
import { curlExample } from "./example.ts";
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
