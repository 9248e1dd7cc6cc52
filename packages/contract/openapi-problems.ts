import { pathParameters, type Route } from "./manage/route.ts";

/** Which problems a route can answer with, by status. */
export function problemsOf(route: Route, takesBody: boolean): number[] {
  const who = route.access.who;
  const isWrite = route.method !== "GET";
  const isRateLimited = who === "anyone";
  return [
    ...(takesBody || route.method === "POST" ? [400] : []),
    401,
    ...(who === "anyone" || (who === "platform_admin" && !isWrite) ? [] : [403]),
    ...(pathParameters(route.path).length > 0 || who === "platform_admin" ? [404] : []),
    ...(takesBody ? [408] : []),
    ...(isWrite ? [409] : []),
    ...(route.method === "PATCH" ? [412] : []),
    ...(takesBody ? [413, 415] : []),
    422,
    ...(isRateLimited ? [429] : []),
    500,
    503,
  ];
}

const words: Readonly<Record<number, string>> = {
  400: "The request cannot be read: the body is not JSON, or a header is malformed.",
  401: "Nobody is signed in, or the access token is not known, was revoked or has run out.",
  403: "The permission is missing, a limit is reached, or the organization is suspended.",
  404: "There is no such thing, or it is not yours to see.",
  408: "The body did not arrive in time.",
  409: "It clashes with what is there, or the Idempotency-Key was used for another request, or for this one, whose answer contained a secret.",
  412: "Somebody else changed it after you read it.",
  413: "The body is larger than this address takes: the description of the body says how much.",
  415: "The body has another type than this reads.",
  422: "Something in the request is not right. errors names each field.",
  429: "Too many requests. Retry-After says how long to wait.",
  500: "Something went wrong on the server.",
  503: "The database does not answer right now. Retry-After says how long to wait.",
};

/** RFC 9457, one for each status. */
export const problemResponses: Record<string, object> = Object.fromEntries(
  Object.entries(words).map(([status, description]) => [
    `Problem${status}`,
    {
      description,
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(["429", "503"].includes(status)
          ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
          : {}),
      },
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]),
);
