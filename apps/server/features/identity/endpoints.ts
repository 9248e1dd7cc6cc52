import { surfaceStorageErrors } from "@countersign/store/errors/problem";
import { APIError } from "better-auth/api";
import type { Auth } from "./better-auth.ts";
import { callbackPath, discordProvider } from "./discord-provider.ts";
import { addingPasskey, addPasskeyPath } from "./passkeys.ts";

/** One request, as the library's endpoints take it. */
export interface EndpointInput {
  readonly method: "GET" | "POST";
  readonly headers: Headers;
  readonly request: Request;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Endpoint = (input: EndpointInput) => Promise<Response>;

/**
 * The library's endpoints by path. Its own router rebuilds all of them for every request, which blocks the event loop
 * for milliseconds.
 */
export function endpointsOf(auth: Auth): ReadonlyMap<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>();
  for (const endpoint of Object.values(auth.api)) {
    if (!("path" in endpoint) || typeof endpoint.path !== "string") continue;
    const call = endpoint as unknown as (input: object) => Promise<Response>;
    const answer = (input: object) =>
      surfaceStorageErrors(
        () => call({ ...input, asResponse: true }).catch(asAnswer),
        ({ status }) => status >= 400,
      );
    const isAdding = endpoint.path === addPasskeyPath;
    endpoints.set(endpoint.path, isAdding ? (input) => addingPasskey(() => answer(input)) : answer);
    if (endpoint.path === callbackPath) {
      const params = { id: discordProvider };
      endpoints.set(`/callback/${discordProvider}`, (input) => answer({ ...input, params }));
    }
  }
  return endpoints;
}

/** An error before an endpoint runs is thrown, not returned. */
function asAnswer(error: unknown): Response {
  if (!(error instanceof APIError)) throw error;
  return Response.json(error.body ?? {}, { status: error.statusCode, headers: new Headers(error.headers) });
}
