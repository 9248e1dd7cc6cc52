import { journalEntry } from "../../../tests/support/request-log.ts";
import { type DatabaseLocation, openJournal } from "../databases/open.ts";
import { oldestOpenMs } from "../request-log/segment.ts";
import { times } from "./calls.ts";

/** Adds rows, some of them late, and closes segments, until the process is killed. Prints a line for each step. */
const location = JSON.parse(process.argv[2] ?? "") as DatabaseLocation;
const startMs = Number(process.argv[3]);
const journal = await openJournal(location);
for (let step = 0; ; step++) {
  const atMs = startMs + step * 1_000;
  const ids = (ms: number) => ({ organization_id: `o${ms % 3}`, license_id: `l${ms % 50}` });
  const entry = (ms: number) => journalEntry({ at: ms, ...ids(ms), ip: `192.0.2.${ms % 20}` });
  await journal.append(times(200, (index) => entry(atMs + index)));
  await journal.append(times(20, (index) => entry(atMs - 2_000 + 37 * index)));
  await journal.closeSegment(atMs + oldestOpenMs);
  process.stdout.write("step\n");
}
