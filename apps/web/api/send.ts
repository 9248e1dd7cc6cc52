import { manageBase } from "@countersign/contract/api/bases";
import { useSyncExternalStore } from "react";
import { loadProblemTexts } from "../i18n/problem-texts.ts";
import { ApiProblem, Unreachable } from "./problem.ts";

/** They return the signed-in user. */
const meUrls: readonly string[] = [`${manageBase}/me`, "/api/portal/v1/me"];

interface Request {
  readonly method: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Sends a request to the server. Throws an `ApiProblem` if the server refuses. */
export async function send(url: string, request: Request): Promise<Response> {
  const { method, body, signal, idempotencyKey = randomId() } = request;
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
  serverResponded(response.ok && meUrls.includes(url));
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
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value)) for (const item of value) params.append(name, String(item));
    else params.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return params.size === 0 ? "" : `?${params}`;
}

/** Whether the server responds and the session is still valid. Every call updates it; the shell shows it. */
type Connection = "good" | "lost" | "signed_out";

let now: Connection = "good";
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (next === now) return;
  now = next;
  for (const listener of listeners) listener();
}

/** The server responded, so it is reachable again. If it returned the user, the session is valid. */
function serverResponded(isSignedIn: boolean): void {
  if (now === "lost" || isSignedIn) setConnection("good");
}

export function useConnection(): Connection {
  return useSyncExternalStore(listen, () => now);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A unique name. Browsers provide `crypto.randomUUID` only to pages loaded over HTTPS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
