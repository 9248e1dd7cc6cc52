import { constants, setPriority } from "node:os";
import { checkTables } from "./integrity.ts";

/** Prints the result of a check as JSON. Everything else on the machine goes first. */
try {
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Then it runs like everything else.
}
const [folder = "", after = "", timeoutMs = "0"] = process.argv.slice(2);
const part = checkTables(folder, after === "" ? null : after, Number(timeoutMs));
process.stdout.write(JSON.stringify(part));
