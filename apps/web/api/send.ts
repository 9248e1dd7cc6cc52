import { manageBase } from "@countersign/contract/api/bases";
import { loadProblemTexts } from "../i18n/problem-texts.ts";
import { serverResponded, setConnection } from "./connection.ts";
import { ApiProblem, Unreachable } from "./problem.ts";
import { randomId } from "./random-id.ts";

/** Succeeds only for a signed-in user. */
const greetings: readonly string[] = [`${manageBase}/me`, "/api/portal/v1/me"];

/** Sends a request to the server. Throws an `ApiProblem` if the server refuses. */
export async function send(
  url: string,
  method: string,
  body?: unknown,
  signal?: AbortSignal,
  idempotencyKey: string = randomId(),
): Promise<Response> {
  // Emails to a new user are in the language of the page, whatever the browser prefers.
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-language": document.documentElement.lang,
  };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["content-type"] = isFile ? body.type : "application/json";
  // Repeated after a lost connection, the change is made once.
  if (method === "POST" && url.startsWith("/api/manage/")) headers["idempotency-key"] = idempotencyKey;
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    setConnection("lost");
    throw new Unreachable("The server cannot be reached.", { cause });
  }
  serverResponded(response.ok && greetings.includes(url));
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401 && signedOut.includes(problem.code)) setConnection("signed_out");
  throw problem;
}

/** With these, the session is over. */
const signedOut: readonly string[] = ["authentication_required", "session_expired", "sign_in_required"];

async function problemOf(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const body = await response.json().catch(() => ({}));
  await loadProblemTexts();
  return new ApiProblem(response.status, body, Number.isFinite(retryAfter) ? retryAfter : null);
}

/** The URL and method of a route, with its placeholders filled. */
export function place(
  base: string,
  route: string | undefined,
  params: Readonly<Record<string, string>> = {},
) {
  const [method = "GET", path = ""] = (route ?? "").split(" ");
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return { method, url: base + filled };
}

/** The query string, without values that are empty. The items of a list are repeated parameters. */
export function search(query: object = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value)) for (const item of value) words.append(name, String(item));
    else words.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return words.size === 0 ? "" : `?${words}`;
}
