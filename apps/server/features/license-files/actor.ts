import type { Context } from "../../api/context.ts";
import { actorColumns } from "../audit-log/record.ts";
import type { ImportActor } from "./job.ts";

/** The sender of the file is also recorded when the import ends, which can be long after the request. */
export function actorOf(context: Context): ImportActor {
  return { ...actorColumns(context), ip: context.ip, request_id: context.requestId };
}
