import { expect } from "bun:test";
import { manageBase } from "@countersign/contract/api/bases";
import { Router } from "../../apps/server/api/router.ts";
import { manageRoutes } from "../../apps/server/threads/routes.ts";
import { expectContract } from "./expect-contract.ts";
import { type ReadAnswer, readAnswer } from "./read-answer.ts";

export type ManageAnswer = ReadAnswer;

type Sent = Readonly<Record<string, string>>;

/** Calls the management API as a program does. Checks every response against its route's contract. */
export interface ManageClient {
  get(path: string, headers?: Sent): Promise<ManageAnswer>;
  post(path: string, body?: unknown, headers?: Sent): Promise<ManageAnswer>;
  put(path: string, body?: unknown, headers?: Sent): Promise<ManageAnswer>;
  patch(path: string, body?: unknown, headers?: Sent): Promise<ManageAnswer>;
  delete(path: string, headers?: Sent): Promise<ManageAnswer>;
  /** Any method, with a body that is sent unchanged. */
  send(method: string, path: string, body: Bun.BodyInit | null, headers?: Sent): Promise<ManageAnswer>;
}

export function manageClient(url: string, token: string | null): ManageClient {
  const credentials: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const send: ManageClient["send"] = async (method, path, body, headers = {}) => {
    const sent = { method, body, headers: { ...credentials, ...headers } };
    const answer = await readAnswer(await fetch(url + manageBase + path, sent));
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    expectContract(router, method, path, answer);
    return answer;
  };
  const withJson = (method: string) => (path: string, body?: unknown, headers?: Sent) =>
    send(method, path, body === undefined ? null : JSON.stringify(body), {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    });
  return {
    get: (path, headers) => send("GET", path, null, headers),
    delete: (path, headers) => send("DELETE", path, null, headers),
    post: withJson("POST"),
    put: withJson("PUT"),
    patch: withJson("PATCH"),
    send,
  };
}

const router = new Router(manageRoutes);
