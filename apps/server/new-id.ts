import { randomFillSync } from "node:crypto";
import { uuidSource } from "@countersign/domain/ids/uuid";

export const newId = uuidSource(Date.now, (bytes) => {
  randomFillSync(bytes);
});
