import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import {
  type OpenApiDocument,
  publicOpenApiDocument,
  writeOpenApi,
} from "@countersign/contract/openapi/openapi";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { StaticFile } from "../../http/static-files.ts";
import { problemIndex, problemPage } from "./problems.ts";

export async function openApi(request: Request, requestId: string): Promise<Response> {
  document ??= compressed(written(writeOpenApi()));
  return (await document).answer(request, headersOf(requestId));
}

/** Just the two calls of applications. */
export function publicOpenApi(requestId: string): Response {
  publicJson ??= JSON.stringify(publicOpenApiDocument());
  return answer(publicJson, "application/json", requestId);
}

let document: Promise<StaticFile> | undefined;
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

/** Once, by threads of the runtime. Higher qualities take far longer and save little. */
async function compressed(text: Promise<string>): Promise<StaticFile> {
  const content = Buffer.from(await text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const [br, gz] = await Promise.all([brotliPacked(content, { params }), gzipPacked(content)]);
  return new StaticFile(content, "application/json; charset=utf-8", [
    ["br", br],
    ["gzip", gz],
  ]);
}

const brotliPacked = promisify(brotliCompress);
const gzipPacked = promisify(gzip);

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
    headers: { ...headersOf(requestId), "content-type": `${type}; charset=utf-8` },
  });
}

function headersOf(requestId: string) {
  return {
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    "x-request-id": requestId,
  };
}
