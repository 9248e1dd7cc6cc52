import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";

/** One source for the whole process: what was written later has the later id. */
export const newId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});
