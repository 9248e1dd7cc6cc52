import { AsyncLocalStorage } from "node:async_hooks";
import { runCommand } from "../../apps/server/cli/command-line.ts";
import type { Finished } from "./server-process.ts";

const outputs = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

/** Sends what a command prints to its own output, also if several run at the same time. */
function divert(name: "stdout" | "stderr"): void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...more: never[]) => {
    const output = outputs.getStore();
    if (output === undefined) return write(chunk, ...more);
    output[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as typeof stream.write;
}
divert("stdout");
divert("stderr");

/** Runs a command in this process. `runCountersign` starts the real program, which takes much longer. */
export function runHere(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const output = { stdout: "", stderr: "" };
  return outputs.run(output, async () => {
    const code = await runCommand(words, environment);
    return { code, ...output };
  });
}
