import { Countersign, type CountersignOptions } from "../src/index.ts";

/** A `fetch` that answers like a Countersign server, for tests of one client. */
export const validBody = {
  valid: true,
  status: "active",
  expires: "2131-01-02T03:04:05.000Z",
  ip_registered: true,
  ip_count: 1,
  max_ips: 3,
  version: null,
  version_valid: null,
  custom: { plan: { name: "pro" } },
  signature: null,
};

type Answer = () => Response | Promise<Response>;

export interface FakeFetch {
  readonly fetch: typeof fetch;
  readonly calls: RequestInit[];
}

/** Answers in order, and again with the last. */
export function fakeFetch(...answers: Answer[]): FakeFetch {
  const calls: RequestInit[] = [];
  const answer = async (_url: unknown, init: RequestInit = {}) => {
    calls.push(init);
    const next = answers[Math.min(calls.length, answers.length) - 1] ?? (() => Response.json(validBody));
    const aborted = new Promise<never>((_resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
    aborted.catch(() => undefined);
    return Promise.race([next(), aborted]);
  };
  return { fetch: answer as typeof fetch, calls };
}

export const never: Answer = () => new Promise<Response>(() => undefined);
export const valid: Answer = () => Response.json(validBody);
export const revoked: Answer = () => Response.json({ ...validBody, valid: false, status: "revoked" });
export const unreachable: Answer = () => Promise.reject(new TypeError("fetch failed"));
export const key = "ABCD-EFGH-JKMN-PQRS";
export const base = { apiKey: "csk_secret", baseUrl: "https://license.example.com", random: () => 0 };

/** A client whose server sends these answers, and the requests that it has sent. */
export function clientWith(answers: Answer[], options: Partial<CountersignOptions> = {}) {
  const { fetch, calls } = fakeFetch(...answers);
  return { client: new Countersign({ ...base, fetch, ...options }), requests: calls };
}
