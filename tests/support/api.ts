import { expect } from "bun:test";
import { contractViolation, type Endpoint } from "./wire-schemas.ts";

/** A response of the public API, as received. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The exact body. */
  readonly text: string;
  /** The members of the body. Empty if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls the public API as an application does, with one API key. Checks every response against its schema. */
export interface Api {
  validate(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends these bytes unchanged as the body. */
  validateRaw(body: RequestInit["body"], headers?: Readonly<Record<string, string>>): Promise<Answer>;
  lookup(licenseKey: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export function apiOf(url: string, apiKey: string): Api {
  const authorization = `Bearer ${apiKey}`;
  const validateRaw: Api["validateRaw"] = async (body, headers = {}) => {
    const response = await fetch(`${url}/api/v1/validate`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body,
    });
    return heldToContract("validate", response);
  };
  return {
    validateRaw,
    validate: (body, headers) => validateRaw(JSON.stringify(body), headers),
    lookup: async (licenseKey, headers = {}) => {
      const path = `/api/v1/license/${encodeURIComponent(licenseKey)}`;
      return heldToContract("lookup", await fetch(url + path, { headers: { authorization, ...headers } }));
    },
  };
}

const requestIdShape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function heldToContract(endpoint: Endpoint, response: Response): Promise<Answer> {
  const text = await response.text();
  const body: unknown = JSON.parse(text);
  expect(contractViolation(endpoint, response.status, body)).toBeNull();
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("x-request-id")).toMatch(requestIdShape);
  const members = typeof body === "object" && body !== null ? { ...body } : {};
  return { status: response.status, headers: response.headers, text, body: members };
}
