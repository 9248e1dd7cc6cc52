import { type BodyLimit, deepestBody } from "@countersign/contract/api/body-limit";
import { fieldFault } from "@countersign/contract/problems/problems";
import { JsonBounds, type JsonExcess } from "@countersign/domain/json/bounds";
import { invalidField, Problem } from "../http/problem.ts";
import { bodyBounds, boundedBody, closeConnection } from "./bounded-body.ts";

interface JsonBody {
  readonly value: unknown;
  readonly text: string;
}

/** The body as JSON; null if there is none. Its size, depth and number of values are bounded before it is parsed. */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<JsonBody | null> {
  if (request.body === null || request.headers.get("content-length") === "0") return null;
  if (mediaType(request) !== "application/json")
    throw new Problem("wrong_content_type", { expected: "application/json" });
  const bounds = new JsonBounds({ depth: deepestBody, values: limit.values });
  const pieces: Uint8Array[] = [];
  for await (const piece of boundedBody(request, bodyBounds(limit.bytes))) {
    const excess = bounds.read(piece);
    if (excess !== null) throw beyond(excess, limit);
    pieces.push(piece);
  }
  const text = decoded(Buffer.concat(pieces));
  return text === "" ? null : { value: parsed(text), text };
}

export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function beyond(excess: JsonExcess, { values }: BodyLimit): Problem {
  const fault =
    excess === "too_deep"
      ? fieldFault("too_deep", { max: deepestBody })
      : fieldFault("too_many_values", { max: values });
  return invalidField("body", fault, closeConnection);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem("not_utf8");
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("malformed_json");
  }
}
