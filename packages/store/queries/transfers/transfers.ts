import { prepared } from "../../prepared-query.ts";

export const transferById = prepared((db, id: string) =>
  db.selectFrom("transfers").selectAll().where("id", "=", id),
).first;
