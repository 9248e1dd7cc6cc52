import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";

/** One source for the whole process, so that later rows have later IDs. */
export const newId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});
