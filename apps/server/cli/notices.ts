import { OperatorProblem } from "../base/operator-problem.ts";
import { type Command, printJson, printLines, readOptions } from "./command.ts";

declare const COUNTERSIGN_NOTICES: string;

/** Set by the build (`scripts/notices.ts`). */
const text = typeof COUNTERSIGN_NOTICES === "undefined" ? null : COUNTERSIGN_NOTICES;

export const notices: Command = {
  name: "notices",
  help: `countersign notices [--json]

Prints the notices of everything that the server, the dashboard and the executable contain of others.

  --json   print one JSON object: notices
`,
  async run(args) {
    const { values } = readOptions("notices", args, { json: { type: "boolean" } });
    if (text === null)
      throw new OperatorProblem(
        "The notices are part of a built server. Run npm run build, or npm run notices for a list.",
      );
    if (values.json === true) printJson({ notices: text });
    else printLines([text.trimEnd()]);
    return 0;
  },
};
