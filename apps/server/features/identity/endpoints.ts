import { surfaceStorageErrors } from "@countersign/store/surface";
import { APIError } from "better-auth/api";
import type { Auth } from "./better-auth.ts";
import { discordProvider } from "./discord-provider.ts";
import { addingPasskey, addPasskeyPath } from "./passkeys.ts";
import { callbackPath } from "./second-factor.ts";

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
 * The library's endpoints by their paths. Its own router builds all of them anew for every request, which takes the
 * event loop for milliseconds: enough of them, and validations wait.
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

/** What is refused before an endpoint begins is thrown, not answered. */
function asAnswer(error: unknown): Response {
  if (!(error instanceof APIError)) throw error;
  return Response.json(error.body ?? {}, { status: error.statusCode });
}
