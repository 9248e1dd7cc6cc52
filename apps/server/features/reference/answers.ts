import {
  type OpenApiDocument,
  publicOpenApiDocument,
  writeOpenApi,
} from "@countersign/contract/openapi/openapi";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { referencePage } from "./page.ts";
import { problemIndex, problemPage } from "./problems.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

export async function openApi(requestId: string): Promise<Response> {
  json ??= theDocument().then((document) => JSON.stringify(document));
  return answer(await json, "application/json", requestId);
}

/** Just the two calls of applications. */
export function publicOpenApi(requestId: string): Response {
  publicJson ??= JSON.stringify(publicOpenApiDocument());
  return answer(publicJson, "application/json", requestId);
}

/** The API reference: one page generated from the OpenAPI document, with no external resources. */
export async function docs(requestId: string): Promise<Response> {
  page ??= theDocument().then((document) => runInSteps(referencePage(document)));
  return answer(await page, "text/html", requestId);
}

let document: Promise<OpenApiDocument> | undefined;
let json: Promise<string> | undefined;
let publicJson: string | undefined;
let page: Promise<string> | undefined;

function theDocument(): Promise<OpenApiDocument> {
  document ??= runInSteps(writeOpenApi());
  return document;
}

/** Yields to other work: one long uninterrupted task would delay other requests. */
async function runInSteps<T>(work: Generator<void, T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await yieldToEventLoop();
    step = work.next();
  }
  return step.value;
}

export function docsStyle(requestId: string): Response {
  return answer(style, "text/css", requestId);
}

export function docsScript(requestId: string): Response {
  return answer(script, "text/javascript", requestId);
}

/** The page of a code; null if there is no such code. */
export function docsOfProblem(code: string, requestId: string): Response | null {
  const text = problemPage(code);
  return text === null ? null : answer(text, "text/plain", requestId);
}

export function docsOfProblems(requestId: string): Response {
  return answer(problemIndex(), "text/plain", requestId);
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

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
