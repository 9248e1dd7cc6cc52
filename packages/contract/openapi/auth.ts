import { sizeInWords } from "../api/body-limit.ts";
import { type AuthRoute, authBase } from "../auth/route.ts";
import { authCodesOf, problemResponses } from "./problems.ts";
import { Schemas } from "./schemas.ts";
import { tagOf } from "./tags.ts";

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

export function authTags(routes: readonly AuthRoute[]): { name: string; description: string }[] {
  return [...new Set(routes.map((route) => route.group))].map(tagOf);
}

const headers = {
  SetCookie: {
    description: "Cookies that scripts cannot read. The description of the response says which.",
    schema: { type: "string" },
  },
  Location: { description: "The page to continue to.", schema: { type: "string" } },
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
      ...problemResponses(authCodesOf(route)),
    },
  };
}

const needs: Readonly<Record<AuthRoute["needs"], string>> = {
  nobody: "Anyone can call this.",
  session: "Requires a session; access tokens are not accepted.",
};

function inQuery(route: AuthRoute, schemas: Schemas): object[] {
  const { properties = {}, required = [] } = schemas.of(route.query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    if (description === undefined)
      throw new Error(`${route.id}: the query parameter ${name} has no description.`);
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
  const inCookies = cookies === undefined ? "" : ` ${cookies}`;
  const shared = {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    ...(cookies === undefined ? {} : { "Set-Cookie": { $ref: "#/components/headers/SetCookie" } }),
  };
  return {
    ...(answer === null
      ? {}
      : {
          200: {
            description: `Success.${inCookies}`,
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
