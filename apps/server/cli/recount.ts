import { recountLicenses } from "@countersign/store/queries/licenses/stored-counts";
import { readConfig } from "../base/config.ts";
import { type Command, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";
import { withStore } from "./with-store.ts";

export const recount: Command = {
  name: "recount",
  summary: "Recount all licenses and correct the stored counts.",
  help: `countersign recount [--json]

The database maintains the license counts that the dashboard shows. If countersign doctor reports that some are wrong,
because someone changed tables without their triggers, this counts every license and corrects them. It can run while
servers run.

  --json   print one JSON object: corrected
`,
  async run(words, environment) {
    const { values } = readOptions("recount", words, { json: { type: "boolean" } });
    const corrected = await withStore(readConfig(environment), recountLicenses);
    if (values.json === true) printJson({ corrected });
    else if (corrected === 0) printLines(["All counts are correct."]);
    else printLines([`Corrected ${corrected} ${corrected === 1 ? "count" : "counts"}.`]);
    return 0;
  },
};
