import { type Decision, RateLimitError, type ValidateResult } from "../../src/index.ts";

export const noVerdict = { allowed: false, result: null, error: null } satisfies Decision;

export function verdict(status: string, members: Partial<ValidateResult> = {}): Decision {
  const origin = { source: "server", checkedAt: new Date(0), requestId: "req-1" };
  const untold = { expires: null, ipRegistered: null, ipCount: null, maxIps: null, version: null };
  const verdict = { valid: status === "active", status, ...untold, versionValid: null, custom: null };
  const result = { ...verdict, ...origin, ...members } as ValidateResult;
  return { allowed: result.valid, result, error: null };
}

export const dailyLimitReached: Decision = {
  ...noVerdict,
  error: new RateLimitError("The daily limit is used up.", 3_600, new Date(0), { requestId: "req-9" }),
};

/** A client that knows the licenses whose keys start with `VALID`, and responds when `respond` is called, or at once. */
export function fakeClient(answer: (key: string) => Decision = answerByKey) {
  const waiting: (() => void)[] = [];
  const client = {
    requests: [] as string[],
    isPaused: false,
    cachedKeys: new Set<string>(),
    cached: (key: string) => (client.cachedKeys.has(key) ? answer(key).result : null),
    check: async (key: string): Promise<Decision> => {
      if (client.cachedKeys.has(key)) return answer(key);
      client.requests.push(key);
      if (client.isPaused) await new Promise<void>((resolve) => waiting.push(resolve));
      return answer(key);
    },
    /** Responds to the oldest request. */
    respond: () => waiting.shift()?.(),
    waitingCount: () => waiting.length,
  };
  return client;
}

export function answerByKey(key: string): Decision {
  return verdict(key.trim().toUpperCase().startsWith("VALID") ? "active" : "license_not_found");
}

/** Keeps what is logged. */
export function memoryLogger() {
  const lines: string[] = [];
  return {
    lines,
    warn: (message: string) => void lines.push(`warn: ${message}`),
    error: (message: string) => void lines.push(`error: ${message}`),
  };
}

export function webRequest(key: string | null, address = "203.0.113.7"): Request {
  const headers = { ...(key === null ? {} : { "x-license-key": key }), "x-address": address };
  return new Request("https://app.example.com/reports", { headers });
}
