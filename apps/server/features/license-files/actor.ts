import type { Context } from "../../http/manage/context.ts";
import { actorColumns } from "../audit-log/record.ts";
import type { ImportActor } from "./job.ts";

/** Whoever sent the file is named when the import is over, too, which may be long after the request. */
export function actorOf(context: Context): ImportActor {
  return { ...actorColumns(context), ip: context.ip, request_id: context.requestId };
}
