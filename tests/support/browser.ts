import { expect } from "bun:test";
import { manageBase } from "@countersign/contract/api/bases";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { type ReadAnswer, readAnswer } from "./read-answer.ts";

export type BrowserAnswer = ReadAnswer;

/** A browser session: keeps cookies, sends the origin, and follows no redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #address: string;

  constructor(url: string, address: string) {
    this.#url = url;
    this.#address = address;
  }

  /** The sign-in endpoints. */
  auth(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    return this.send(body === undefined ? "GET" : "POST", `/api/auth${path}`, body, headers);
  }

  /** The management API. */
  manage(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return this.send(method, manageBase + path, body, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<BrowserAnswer> {
    const sent: Record<string, string> = { "x-forwarded-for": this.#address, "user-agent": "Test Browser" };
    if (method !== "GET") sent.origin = new URL(this.#url).origin;
    if (this.cookies.size > 0)
      sent.cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (body !== undefined) sent["content-type"] = "application/json";
    for (const [name, value] of Object.entries(headers)) {
      if (value === "") delete sent[name];
      else sent[name] = value;
    }
    const response = await fetch(path.startsWith("http") ? path : this.#url + path, {
      method,
      headers: sent,
      redirect: "manual",
      body: body === undefined ? null : JSON.stringify(body),
    });
    this.#keep(response.headers);
    expect(response.headers.get("x-request-id")).toBeTruthy();
    const answer = await readAnswer(response);
    checkContract(method, path, answer);
    return answer;
  }

  #keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ");
      const name = pair.slice(0, pair.indexOf("="));
      if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
  }
}

/** A success of a sign-in route is as the contract of the route describes it. */
function checkContract(method: string, path: string, { status, headers, body }: BrowserAnswer): void {
  const { pathname } = new URL(path, "http://127.0.0.1");
  const route = authRoutes.find((one) => one.method === method && authBase + one.path === pathname);
  if (route === undefined || status >= 400) return;
  expect([route.id, status]).toEqual([route.id, route.answer !== null && status === 200 ? 200 : 302]);
  expect(headers.get("cache-control")).toBe("no-store");
  // Parsing drops members that are not described.
  if (status === 200) expect(route.answer?.parse(body)).toEqual(body);
  else expect([route.redirect, headers.get("location")]).toEqual([expect.any(String), expect.any(String)]);
  if (headers.getSetCookie().length > 0)
    expect([route.id, route.cookies]).toEqual([route.id, expect.any(String)]);
}
