import { sizeInWords } from "../api/body-limit.ts";
import { type Access, type ByToken, pathParameters, type Route, takesBody } from "../api/route.ts";
import { id, problem } from "../api/shapes.ts";
import { codesOf, problemResponses } from "./problems.ts";
import { type JsonSchema, Schemas } from "./schemas.ts";
import { tagOf } from "./tags.ts";

/** The OpenAPI description of an API below a base path, generated from its routes, one at a time. */
export function* manageApi(base: string, routes: readonly Route[]) {
  const schemas = new Schemas();
  schemas.of(problem);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `${base}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
    yield;
  }
  return { paths, components: components(schemas) };
}

export function manageTags(routes: readonly Route[]): { name: string; description: string }[] {
  return [...new Set(routes.map((route) => route.group))].map(tagOf);
}

function components(schemas: Schemas) {
  return {
    schemas: schemas.named,
    parameters: {
      IdempotencyKey: {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description:
          "1 to 255 visible ASCII characters, unique to this request. A repeat with the same key within 24 hours changes nothing and gets the same response. A response that contained a secret (x-secret) is not repeated: the repeat gets 409 with code secret_already_shown, first_response (the first response without the secret) and secret_fields.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
      IfMatch: {
        name: "If-Match",
        in: "header",
        required: false,
        description:
          "The ETag that you read. The change is refused if someone else changed the resource in the meantime.",
        schema: { type: "string" },
      },
    },
    headers: {
      ETag: {
        description: "Identifies this state of the resource, for If-Match.",
        schema: { type: "string" },
      },
    },
  };
}

function operation(route: Route, schemas: Schemas): object {
  return {
    operationId: route.id,
    tags: [route.group],
    summary: route.summary,
    description: [route.description, needs(route.access)].filter(Boolean).join(" "),
    security: security(route.access),
    parameters: [...inPath(route), ...inQuery(route, schemas), ...inHeaders(route, schemas)],
    ...requestBody(route, schemas),
    responses: {
      [route.status]: answer(route, schemas),
      ...problemResponses(codesOf(route)),
    },
  };
}

function security(access: Access): object[] {
  if (access.who === "anyone") return [];
  return access.who === "customer" ? [{ portalSession: [] }] : [{ accessToken: [] }, { session: [] }];
}

const people: Readonly<Record<ByToken, string>> = {
  never: "For users, with a session. No access token can call this.",
  full: "For users, with a session or a personal access token that has every permission.",
  any: "For users, with a session or any personal access token.",
};

/** Who can call it, in words. */
function needs(access: Access): string {
  switch (access.who) {
    case "anyone":
      return "Anyone can call this.";
    case "person":
      return people[access.byToken];
    case "owner":
      return "For the organization's owner, with a session or an access token that has every permission.";
    case "platform_admin":
      return "For platform admins, with a session or an access token that has every permission.";
    case "customer":
      return "For customers who are signed in to the portal.";
    case "member":
      return access.may === null
        ? "For every member of the organization."
        : `Requires the permission ${[access.may, ...access.or].map((code) => `\`${code}\``).join(" or ")}.`;
  }
}

function inPath(route: Route): object[] {
  return pathParameters(route.path).map((name) => ({
    name,
    in: "path",
    required: true,
    description: pathWords[name] ?? `The ${words(name).replace(/ ID$/, "'s ID")}.`,
    schema: { type: "string" },
  }));
}

function inQuery(route: Route, schemas: Schemas): object[] {
  const schema = schemas.of(route.query);
  if (schema.properties === undefined && schema.type !== "object")
    throw new Error(`The query of ${route.id} should be an object.`);
  return Object.entries(schema.properties ?? {}).map(([name, { description, ...property }]) => ({
    name,
    in: "query",
    required: schema.required?.includes(name) === true,
    description: ownWords(description) ?? queryWords[name] ?? `Filters by ${words(name)}.`,
    schema: property,
  }));
}

/** The generic description of IDs says nothing about this one. */
function ownWords(description: string | undefined): string | undefined {
  return description === id.description ? undefined : description;
}

function words(name: string): string {
  return name.replaceAll("_", " ").replace(/ id$/, " ID");
}

const pathWords: Readonly<Record<string, string>> = {
  ip: "The IP address, or an IPv6 network with its slash as %2F.",
  kind: "The kind of email.",
  logo: "The name of the logo file, from a `logo_url`.",
  prefix: "The first characters of the API key, as in the product's list, such as csk_a1B2c3D4.",
  slug: "The organization's slug.",
  token: "The token from the link.",
};

const queryWords: Readonly<Record<string, string>> = {
  limit: "The maximum number of items.",
  cursor: "The `next_cursor` of the previous page.",
  format: "The file format.",
  sort: "The field to sort by.",
  order: "The sort order.",
  dry_run: "Whether to check the file without importing it.",
  expires_within_days:
    "Only active licenses that will expire within this many days: none that are revoked or have expired.",
  has_notes: "Whether the license has notes.",
  min_ips: "Only licenses with at least this many registered IP addresses.",
  min_licenses: "Only IP addresses with at least this many licenses.",
  never_used: "Whether the license has never passed a validation.",
  platform_admin: "Whether the user is a platform admin.",
  suspended: "Whether it is suspended.",
};

function inHeaders(route: Route, schemas: Schemas): object[] {
  const names = [];
  if (route.method === "POST" && route.access.who !== "anyone") names.push("IdempotencyKey");
  const body = takesBody(route) ? schemas.of(route.body) : {};
  if (route.method === "PATCH" && "updated_at" in (body.properties ?? {})) names.push("IfMatch");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(route: Route, schemas: Schemas): object {
  if (!takesBody(route)) return {};
  const types = route.bodyTypes ?? ["application/json"];
  const schema = route.bodyTypes === undefined ? schemas.of(route.body) : { type: "string" };
  const required = route.bodyTypes !== undefined || !route.body.safeParse({}).success;
  return {
    requestBody: {
      description: `At most ${sizeInWords(route.bodyLimit)}.`,
      required,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
}

function answer(route: Route, schemas: Schemas): object {
  if (route.status === 204 || route.status === 302)
    return { description: answerWords[route.status], headers: requestId };
  const schema = schemas.of(route.answer);
  const types = answerTypes(route, schemas);
  const named = schema.$ref === undefined ? schema : schemas.named[lastPart(schema.$ref)];
  const hasETag = "updated_at" in ((named as JsonSchema | undefined)?.properties ?? {});
  return {
    description: answerWords[route.status],
    headers: hasETag ? { ...requestId, ETag: { $ref: "#/components/headers/ETag" } } : requestId,
    content: Object.fromEntries(
      types.map((type) => [type, { schema: type === "application/json" ? schema : { type: "string" } }]),
    ),
  };
}

/** A route with a format parameter responds with each of them. */
function answerTypes(route: Route, schemas: Schemas): readonly string[] {
  if (route.answerType === undefined) return ["application/json"];
  const formats = schemas.of(route.query).properties?.format?.enum ?? [];
  const types = formats.flatMap((format) => fileTypes[String(format)] ?? []);
  return types.length > 0 ? types : [route.answerType];
}

const fileTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  html: "text/html",
  text: "text/plain",
};

const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

const answerWords: Readonly<Record<Route["status"], string>> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted. The work continues in the background.",
  204: "Success.",
  302: "Redirects to a page.",
};

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
