import type { BodyLimit } from "@countersign/contract/api/body-limit";
import type { z } from "zod";
import { checked } from "../../api/checked.ts";
import { readJsonBody } from "../../api/json-body.ts";
import { checkBodyTexts } from "../../api/texts.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a sign-in request, checked against its schema. */
export async function readJson(request: Request, schema: z.ZodType, limit: BodyLimit): Promise<JsonObject> {
  const json = await readJsonBody(request, limit);
  if (json !== null) checkBodyTexts(json.value, json.text);
  return checked(schema, json === null ? {} : json.value, "body") as JsonObject;
}
