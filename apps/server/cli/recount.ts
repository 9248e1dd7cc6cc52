import { recountLicenses } from "@countersign/store/queries/recount-licenses";
import { readConfig } from "../config.ts";
import { type Command, readOptions } from "./command.ts";
import { printJson, printLines } from "./print.ts";
import { withStore } from "./with-store.ts";

export const recount: Command = {
  name: "recount",
  summary: "Count all licenses again and correct the kept counts.",
  help: `countersign recount [--json]

The numbers of licenses that the dashboard shows are kept by the database itself. Where countersign doctor says that
some are wrong, because somebody changed tables without their triggers, this counts every license and corrects them. It
can be run beside running servers.

  --json   print one JSON object: corrected
`,
  async run(words, environment) {
    const { values } = readOptions("recount", words, { json: { type: "boolean" } });
    const corrected = await withStore(readConfig(environment), recountLicenses);
    if (values.json === true) printJson({ corrected });
    else if (corrected === 0) printLines(["All counts are right. There was nothing to do."]);
    else printLines([`Corrected ${corrected} ${corrected === 1 ? "count" : "counts"}.`]);
    return 0;
  },
};
