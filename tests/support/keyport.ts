import { execFileSync } from "node:child_process";
import { join } from "node:path";

const { ensureKeyPort, howToGetKeyPort: reason } = await import(
  join(import.meta.dir, "../../scripts/test-programs.mjs")
);

/** The Python of an environment with KeyPort's client. Null if it is not installed and cannot be. */
export const keyPortPython: string | null = ensureKeyPort();
export const howToGetKeyPort: string = reason;

export interface KeyPortCall {
  readonly base_url: string;
  readonly api_key: string;
  readonly method: "validate" | "get_license";
  readonly arguments: readonly (string | null)[];
  /** Reads the key and the address from a file. */
  readonly config_file?: true;
}

/** What a call returned, or the class and the members of the exception that it raised. */
type KeyPortOutcome = Readonly<Record<string, unknown>>;

interface KeyPortRun {
  readonly outcomes: readonly KeyPortOutcome[];
  /** What the types of the client list. */
  readonly known: Readonly<Record<"statuses" | "validate" | "lookup", readonly string[]>>;
}

/** Makes all calls in one process: starting Python takes longer than the calls. */
export function callKeyPort(calls: readonly KeyPortCall[]): KeyPortRun {
  const output = execFileSync(keyPortPython ?? "", [join(import.meta.dir, "keyport-calls.py")], {
    input: JSON.stringify(calls),
    encoding: "utf8",
    env: { PYTHONDONTWRITEBYTECODE: "1" },
  });
  return JSON.parse(output);
}
