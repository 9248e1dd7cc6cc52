import { parentPort, workerData } from "node:worker_threads";
import { openBeside } from "@countersign/store/open";
import type { Beside } from "@countersign/store/store";
import { type LogFields, reasonOf } from "../../log.ts";
import { workThrough } from "./work-through.ts";

export interface ImportThreadData {
  readonly beside: Beside;
  readonly claimant: string;
}

/** Something may be there to do; or leave everything as it is, and end. */
export type ToImports = "look" | "end";

export type FromImports =
  | { readonly kind: "idle" }
  | { readonly kind: "trouble"; readonly message: string; readonly fields: LogFields }
  | { readonly kind: "ended" };

/** Where imports are worked on: reading and checking a file takes the time of thousands of validations. */
async function run({ beside, claimant }: ImportThreadData): Promise<void> {
  const store = await openBeside(beside);
  let isStopping = false;
  let isAsked = true;
  let wake = () => {};
  parentPort?.on("message", (message: ToImports) => {
    if (message === "end") isStopping = true;
    isAsked = true;
    wake();
  });
  const trouble = (message: string, fields: LogFields) => tell({ kind: "trouble", message, fields });
  while (!isStopping) {
    isAsked = false;
    try {
      await workThrough({ store, claimant, stopping: () => isStopping, trouble });
    } catch (error) {
      trouble("An import could not be worked on. It will be tried again.", { reason: reasonOf(error) });
    }
    if (isAsked) continue;
    tell({ kind: "idle" });
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  await store.close();
  tell({ kind: "ended" });
}

function tell(message: FromImports): void {
  parentPort?.postMessage(message);
}

await run(workerData);
