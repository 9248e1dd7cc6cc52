import type { z } from "zod";
import { checked } from "../../http/manage/input.ts";
import { Problem } from "../../http/manage/problem.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const maxBodyBytes = 64 * 1024;

/** The body of a request to sign in, held against its schema. Strangers send these, so little of it is read. */
export async function readJson(request: Request, schema: z.ZodType): Promise<JsonObject> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const text = await textUpTo(request, maxBodyBytes);
  if (text !== "" && type !== "application/json")
    throw new Problem("wrong_type", "Send the body as application/json.");
  let json: unknown;
  try {
    json = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Problem("malformed", "The body is not JSON.");
  }
  return checked(schema, json, "body") as JsonObject;
}

async function textUpTo(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Problem("too_large", `The body is larger than ${maxBytes / 1024} KiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
