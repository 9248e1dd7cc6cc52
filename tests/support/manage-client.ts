import { expect } from "bun:test";
import { manageBase } from "@countersign/contract/manage/base";
import { Router } from "../../apps/server/http/manage/router.ts";
import { manageRoutes } from "../../apps/server/http/manage/routes.ts";
import { expectContract } from "./expect-contract.ts";
import { textOf } from "./response-text.ts";

export interface ManageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; the contract was checked.
  readonly body: any;
}

type Headers2 = Readonly<Record<string, string>>;

/** Calls the management API as a program does. Checks every response against its route's contract. */
export interface ManageClient {
  get(path: string, headers?: Headers2): Promise<ManageAnswer>;
  post(path: string, body?: unknown, headers?: Headers2): Promise<ManageAnswer>;
  put(path: string, body?: unknown, headers?: Headers2): Promise<ManageAnswer>;
  patch(path: string, body?: unknown, headers?: Headers2): Promise<ManageAnswer>;
  delete(path: string, headers?: Headers2): Promise<ManageAnswer>;
  /** Any method, with a body that is sent unchanged. */
  send(
    method: string,
    path: string,
    body: string | Blob | ReadableStream<Uint8Array> | null,
    headers?: Headers2,
  ): Promise<ManageAnswer>;
}

export function manageClient(url: string, token: string | null): ManageClient {
  const credentials: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const send: ManageClient["send"] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + manageBase + path, {
      method,
      body,
      headers: { ...credentials, ...headers },
    });
    return checked(method, path, response);
  };
  const withJson = (method: string) => (path: string, body?: unknown, headers?: Headers2) =>
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

async function checked(method: string, path: string, response: Response): Promise<ManageAnswer> {
  const { status, headers } = response;
  const text = await textOf(response);
  expect(headers.get("x-request-id")).toBeTruthy();
  const type = headers.get("content-type") ?? "";
  const body = type.includes("json") && !type.includes("ndjson") && text !== "" ? JSON.parse(text) : {};
  expectContract(router, method, path, { status, headers, body });
  return { status, headers, text, body };
}
