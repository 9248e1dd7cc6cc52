import { expect, test } from "bun:test";
import { StorageUnavailable } from "../errors/problem.ts";
import { storageError } from "./errors.ts";

const postgresError = (code: string, routine: string) =>
  Object.assign(new Error("no se pudo extender el archivo"), { code, routine });

const reasonOf = (error: unknown) => {
  const found = storageError(error);
  return found instanceof StorageUnavailable ? found.reason : null;
};

test("a file that cannot grow is reported as a full disk, whatever the cause and the language of the message", () => {
  expect(reasonOf(postgresError("53100", "mdzeroextend"))).toBe("full");
  // A disk quota, or a file size limit.
  expect(reasonOf(postgresError("XX000", "mdzeroextend"))).toBe("full");
  expect(reasonOf(postgresError("XX000", "mdextend"))).toBe("full");
  expect(reasonOf(postgresError("XX000", "BufFileDumpBuffer"))).toBe("full");
});

test("other internal errors stay unchanged", () => {
  expect(reasonOf(postgresError("XX000", "elog_finish"))).toBeNull();
  expect(reasonOf(postgresError("23505", "_bt_check_unique"))).toBeNull();
});
