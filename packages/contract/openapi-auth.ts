import { type AuthRoute, authBase } from "./auth/route.ts";
import { sizeInWords } from "./body-limit.ts";
import { Schemas } from "./openapi-schemas.ts";

/** The OpenAPI description of the sign-in routes, generated from their list. */
export function* authApi(routes: readonly AuthRoute[]) {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `${authBase}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
    yield;
  }
  return { paths, components: { schemas: schemas.named, headers } };
}

export function authTags(routes: readonly AuthRoute[]): { name: string }[] {
  return [...new Set(routes.map((route) => route.group))].map((name) => ({ name }));
}

const headers = {
  SetCookie: {
    description: "Cookies that no script can read. `description` of the answer says what they hold.",
    schema: { type: "string" },
  },
  Location: { description: "Where to go.", schema: { type: "string" } },
};

function operation(route: AuthRoute, schemas: Schemas): object {
  return {
    operationId: route.id,
    tags: [route.group],
    summary: route.summary,
    description: [route.description, needs[route.needs]].filter(Boolean).join(" "),
    security: route.needs === "session" ? [{ session: [] }] : [],
    parameters: inQuery(route, schemas),
    ...requestBody(route, schemas),
    responses: {
      ...answers(route, schemas),
      ...Object.fromEntries(
        problemsOf(route).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
  };
}

const needs: Readonly<Record<AuthRoute["needs"], string>> = {
  nobody: "Anyone may call this.",
  session: "For people who are signed in: a session, and no access token.",
};

function inQuery(route: AuthRoute, schemas: Schemas): object[] {
  const { properties = {}, required = [] } = schemas.of(route.query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    if (description === undefined)
      throw new Error(`${route.id}: ${name} in the query says nothing of itself.`);
    return { name, in: "query", required: required.includes(name), description, schema };
  });
}

function requestBody({ body, bodyLimit }: AuthRoute, schemas: Schemas): object {
  if (body === null) return {};
  return {
    requestBody: {
      description: `At most ${sizeInWords(bodyLimit)}.`,
      required: !body.safeParse({}).success,
      content: { "application/json": { schema: schemas.of(body) } },
    },
  };
}

function answers({ answer, redirect, cookies }: AuthRoute, schemas: Schemas): object {
  const inCookies = cookies === undefined ? "" : ` In cookies: ${cookies}`;
  const shared = {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    ...(cookies === undefined ? {} : { "Set-Cookie": { $ref: "#/components/headers/SetCookie" } }),
  };
  return {
    ...(answer === null
      ? {}
      : {
          200: {
            description: `Done.${inCookies}`,
            headers: shared,
            content: { "application/json": { schema: schemas.of(answer) } },
          },
        }),
    ...(redirect === undefined
      ? {}
      : {
          302: {
            description: `${redirect}${inCookies}`,
            headers: { ...shared, Location: { $ref: "#/components/headers/Location" } },
          },
        }),
  };
}

function problemsOf(route: AuthRoute): number[] {
  const isPost = route.method === "POST";
  const statuses = new Set<number>(route.problems);
  if (route.needs === "session") statuses.add(401);
  // A change sent by another site is rejected everywhere.
  if (isPost) statuses.add(403);
  if (isPost) for (const status of [400, 408, 413, 415]) statuses.add(status);
  for (const status of [422, 429, 500, 503]) statuses.add(status);
  return [...statuses].sort((a, b) => a - b);
}
