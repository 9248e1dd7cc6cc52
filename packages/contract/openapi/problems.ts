import { z } from "zod";
import { isSearchOfConcealed } from "../api/concealed.ts";
import { pathParameters, type Route, takesBody } from "../api/route.ts";
import { secretFieldsOf } from "../api/secrets.ts";
import type { AuthRoute } from "../auth/route.ts";
import { statusTitles } from "../problems/declare.ts";
import { type ProblemCode, problems } from "../problems/problems.ts";

const body = [
  "malformed_json",
  "not_utf8",
  "body_incomplete",
  "body_too_slow",
  "body_too_large",
  "wrong_content_type",
] as const satisfies readonly ProblemCode[];

const always = [
  "invalid",
  "internal_error",
  "database_unavailable",
  "management_unavailable",
  "server_busy",
] as const satisfies readonly ProblemCode[];

/** Every code that a route of the management API can refuse a request with. */
export function codesOf(route: Route): ProblemCode[] {
  const isWrite = route.method !== "GET";
  return unique([
    ...always,
    ...(takesBody(route) || isWrite ? body : []),
    ...accessCodes(route, isWrite),
    ...impersonationCodes(route),
    ...(pathParameters(route.path).length > 0 ? (["not_found"] as const) : []),
    ...idempotencyCodes(route),
    ...(route.method === "PATCH" ? (["changed_meanwhile", "invalid_if_match"] as const) : []),
    ...(route.problems ?? []),
  ]);
}

/** The same for a sign-in route. */
export function authCodesOf(route: AuthRoute): ProblemCode[] {
  const isPost = route.method === "POST";
  return unique([
    ...always,
    ...(isPost ? [...body, "wrong_origin" as const] : []),
    ...(route.needs === "session" ? (["sign_in_required"] as const) : []),
    "too_many_attempts",
    ...route.problems,
  ]);
}

function accessCodes(route: Route, isWrite: boolean): ProblemCode[] {
  const { access } = route;
  if (access.who === "anyone") return ["too_many_attempts", ...(isWrite ? (["wrong_origin"] as const) : [])];
  if (access.who === "customer")
    return ["sign_in_required", ...(isWrite ? (["wrong_origin", "seller_suspended"] as const) : [])];
  const known: ProblemCode[] = ["authentication_required", "invalid_access_token"];
  if (isWrite) known.push("wrong_origin");
  switch (access.who) {
    case "person":
      known.push("user_required");
      if (access.byToken === "never") known.push("session_required");
      if (access.byToken === "full") known.push("full_token_required");
      return known;
    case "platform_admin":
      return [...known, "not_found"];
    case "owner":
      return [
        ...known,
        "not_found",
        "owner_required",
        "full_token_required",
        ...(isWrite ? suspended(route) : []),
      ];
    case "member":
      if (access.may !== null) known.push("permission_missing");
      return [...known, "not_found", ...(isWrite ? suspended(route) : [])];
  }
}

function suspended({ whileUnpaid, changesNothing }: Route): ProblemCode[] {
  if (changesNothing === true) return [];
  return ["organization_suspended", ...(whileUnpaid === true ? [] : (["billing_suspended"] as const))];
}

/** For a platform admin who looks at the organization. */
function impersonationCodes({ access, method, answerType, query }: Route): ProblemCode[] {
  if (access.who !== "member" && access.who !== "owner") return [];
  if (method !== "GET") return ["impersonation_read_only"];
  const hasSearch = query instanceof z.ZodObject && Object.keys(query.shape).some(isSearchOfConcealed);
  return answerType !== undefined || hasSearch ? ["impersonation_no_secrets"] : [];
}

function idempotencyCodes(route: Route): ProblemCode[] {
  if (route.method !== "POST" || route.access.who === "anyone") return [];
  return [
    "invalid_idempotency_key",
    "idempotency_key_reused",
    "request_in_progress",
    ...(secretFieldsOf(route.answer).length > 0 ? (["secret_already_shown"] as const) : []),
  ];
}

function unique(codes: readonly ProblemCode[]): ProblemCode[] {
  return [...new Set(codes)];
}

/** One response for each status: the one that all routes share, and the codes that this route can have. */
export function problemResponses(codes: readonly ProblemCode[]): Record<string, object> {
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => problems[code].status)]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const reference = { $ref: `#/components/responses/${nameOf(status)}` };
        const described = description(status, codes);
        return [
          status,
          described === sharedDescription(status) ? reference : { ...reference, description: described },
        ];
      }),
  );
}

/** With the codes that most routes can have. */
function sharedDescription(status: number): string {
  return description(
    status,
    [...always, ...body].filter((code) => problems[code].status === status),
  );
}

/** Every response with a problem that one of these codes has. */
export function problemComponents(codes: readonly ProblemCode[]): Record<string, object> {
  const byStatus = Map.groupBy([...codes].sort(), (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [nameOf(status), response(status, codes)]),
  );
}

/** Such as `BodyTooLarge`. */
function nameOf(status: number): string {
  const words = (statusTitles[status] ?? `Status ${status}`).split(" ");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function description(status: number, codes: readonly ProblemCode[]): string {
  const names = codes.map((code) => `\`${code}\``).join(", ");
  return names === "" ? `${statusTitles[status]}.` : `${statusTitles[status]}: ${names}.`;
}

function response(status: number, codes: readonly ProblemCode[]): object {
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/Problem" },
      { type: "object", properties: { code: { type: "string", enum: codes } } },
    ],
  };
  return {
    description: sharedDescription(status),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(status === 429 || status === 503
        ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
        : {}),
    },
    content: { "application/problem+json": { schema } },
  };
}
