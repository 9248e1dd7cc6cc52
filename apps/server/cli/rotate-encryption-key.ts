import { readFileSync } from "node:fs";
import { changeEncryptionKey, rotateDataKey } from "@countersign/store/queries/data-key/rotate";
import { encryptionKey as parseEncryptionKey, readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";
import { withStore } from "./with-store.ts";

const defaultWaitSeconds = 10;

export const rotateEncryptionKey: Command = {
  name: "rotate-encryption-key",
  help: `countersign rotate-encryption-key [--wait SECONDS] [--json]
countersign rotate-encryption-key --new-key-file FILE [--json]

Secrets are encrypted with a data key, which is stored in the database. COUNTERSIGN_ENCRYPTION_KEY protects the data key.

Without --new-key-file, creates a new data key and encrypts every secret again, a few at a time. Servers keep running and
learn of the new key themselves. If it is interrupted, run it again: it continues.

With --new-key-file, protects the same data key with the contents of FILE instead. Servers keep running. Before their
next start, set COUNTERSIGN_ENCRYPTION_KEY to the contents of FILE.

  --new-key-file FILE   the new COUNTERSIGN_ENCRYPTION_KEY: at least 16 characters, preferably 32 random ones
  --wait SECONDS        how long to wait until all servers have learned of a step, 3 or more (default: ${defaultWaitSeconds})
  --json                print one JSON object: data_key_replaced, encryption_key_changed, secrets, unreadable
`,
  async run(args, environment) {
    const { values } = readOptions("rotate-encryption-key", args, {
      "new-key-file": { type: "string" },
      wait: { type: "string" },
      json: { type: "boolean" },
    });
    const config = readConfig(environment);
    const { encryptionKey } = config;
    const file = values["new-key-file"];
    if (file !== undefined) {
      if (values.wait !== undefined) throw new OperatorProblem("--wait has no meaning with --new-key-file.");
      const newKey = readKey(file);
      await withStore(config, (store) => changeEncryptionKey(store, encryptionKey, newKey));
      if (values.json === true)
        printJson({ data_key_replaced: false, encryption_key_changed: true, secrets: 0, unreadable: 0 });
      else
        printLines([
          "The data key is protected with the new key.",
          `Set COUNTERSIGN_ENCRYPTION_KEY to the contents of ${file} before the next start of each server.`,
          "Keep the former key as long as you keep backups that were made with it.",
        ]);
      return 0;
    }
    const waitMs = waitSeconds(values.wait) * 1_000;
    const { sealed, unreadable } = await withStore(config, (store) =>
      rotateDataKey(store, {
        encryptionKey,
        waitMs,
        onStep: (step) => process.stderr.write(`${sentences[step]}\n`),
      }),
    );
    if (values.json === true)
      printJson({ data_key_replaced: true, encryption_key_changed: false, secrets: sealed, unreadable });
    else
      printLines([
        `The data key was replaced, and ${sealed.toLocaleString("en")} secrets were encrypted again.`,
        ...(unreadable === 0
          ? []
          : [
              `${unreadable.toLocaleString("en")} values could not be decrypted before, and were left as they are.`,
            ]),
      ]);
    return 0;
  },
};

const sentences = {
  announced: "A new data key is stored. Waiting until every server can read with it.",
  writing: "Servers encrypt with the new key from now on. Encrypting older secrets again.",
  checking: "Looking for secrets that were encrypted with the former key meanwhile.",
};

function readKey(file: string): string {
  try {
    return parseEncryptionKey(readFileSync(file, "utf8").trim());
  } catch (cause) {
    if (cause instanceof OperatorProblem)
      throw new OperatorProblem(`The key in ${file} is too short. It must have at least 16 characters.`, {
        cause,
      });
    throw new OperatorProblem(`--new-key-file is ${file}, which cannot be read.`, { cause });
  }
}

/** Servers look for another key every two seconds. */
function waitSeconds(text: string | undefined): number {
  if (text === undefined) return defaultWaitSeconds;
  if (/^\d{1,4}$/.test(text) && Number(text) >= 3) return Number(text);
  throw new OperatorProblem(`--wait is "${text}". It must be a whole number of seconds, 3 or more.`);
}
