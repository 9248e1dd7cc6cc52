import {
  type OpenApiDocument,
  publicOpenApiDocument,
  writeOpenApi,
} from "@countersign/contract/openapi/openapi";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { problemIndex, problemPage } from "./problems.ts";

export async function openApi(requestId: string): Promise<Response> {
  json ??= written(writeOpenApi());
  return answer(await json, "application/json", requestId);
}

/** Just the two calls of applications. */
export function publicOpenApi(requestId: string): Response {
  publicJson ??= JSON.stringify(publicOpenApiDocument());
  return answer(publicJson, "application/json", requestId);
}

let json: Promise<string> | undefined;
let publicJson: string | undefined;

/** Yields to other work: one long uninterrupted task would delay other requests. */
async function written(work: Generator<void, OpenApiDocument>): Promise<string> {
  let step = work.next();
  while (step.done !== true) {
    await yieldToEventLoop();
    step = work.next();
  }
  return JSON.stringify(step.value);
}

/** The page of a code; null if there is no such code. */
export function docsOfProblem(code: string, requestId: string): Response | null {
  const text = problemPage(code);
  return text === null ? null : answer(text, "text/plain", requestId);
}

export function docsOfProblems(requestId: string): Response {
  return answer(problemIndex(), "text/plain", requestId);
}

const policy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
  "; ",
);

function answer(body: string, type: string, requestId: string): Response {
  return new Response(body, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
      "x-request-id": requestId,
    },
  });
}
