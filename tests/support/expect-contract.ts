import { expect } from "bun:test";
import { problem } from "@countersign/contract/api/shapes";
import { codesOf } from "@countersign/contract/openapi/problems";
import type { Router } from "../../apps/server/api/router.ts";

/** A response is as its route says: a documented refusal, or the status and the shape of the route. */
export function expectContract(
  router: Router,
  method: string,
  path: string,
  { status, headers, body }: { status: number; headers: Headers; body: { status?: unknown; code?: unknown } },
): void {
  const match = router.match(method, path.split("?")[0] ?? "");
  const route = match.found ? match.bound.route : null;
  if (status >= 400) {
    expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(problem.safeParse(body).error?.message).toBeUndefined();
    expect(body.status).toBe(status);
    if (route === null) return;
    // The OpenAPI document lists the code for the route.
    const isDocumented = codesOf(route).some((code) => code === body.code);
    expect({ route: route.id, code: body.code, isDocumented }).toMatchObject({ isDocumented: true });
  } else if (route !== null) {
    expect(status).toBe(route.status);
    if (route.answerType === undefined && status !== 204 && status !== 302)
      expect(route.answer.safeParse(body).error?.message).toBeUndefined();
  }
}
