import { availableParallelism } from "node:os";
import { kindOf } from "./test-report.mjs";

/**
 * The longest files, longest first. They begin first, so that none of them is left over for the end, when only one
 * worker has something to do. A file that is not named here is not slower for it, as long as it is short.
 */
export const longestFirst = [
  "tests/browser/pages.test.ts",
  "tests/manage/license-import-kill.test.ts",
  "tests/browser/members.test.ts",
  "tests/manage/webhook-reenable.test.ts",
  "tests/browser/second-factor.test.ts",
  "tests/browser/sell.test.ts",
  "tests/manage/license-import.test.ts",
  "tests/manage/webhook-replay-kill.test.ts",
  "tests/manage/identity-first-run.test.ts",
  "tests/manage/mail-timed.test.ts",
  "tests/manage/mail.test.ts",
  "tests/manage/events-quota.test.ts",
  "tests/manage/mail-limit.test.ts",
  "tests/manage/mail-lots.test.ts",
  "tests/manage/webhook-refused-results.test.ts",
  "apps/server/cli/restore.test.ts",
  "tests/http/start-problems.test.ts",
  "tests/manage/identity-sign-in.test.ts",
  "packages/store/postgres/store.test.ts",
  "tests/manage/access-matrix.test.ts",
];

/** Outages, kills, races and stops under load: what they do with a server counts for little while others keep it from working. */
const calm = ["tests/faults/", "tests/races/"];

/** Many quick files that start nothing: a process for each would cost more than they do. */
const together = ["packages/domain/", "packages/contract/"];

/** Of these, some files share a process, which loads what they all need once. Each still starts its own servers. */
const inBatches = ["apps/", "packages/store/", "tests/http/", "tests/manage/"];
const batchSize = 6;

/**
 * Which files run in one process, and in which order. Each group is of one kind. Workers take the next group of
 * `sideBySide` whenever they are free; those of `calm` follow, two at a time.
 */
export function planOf(files) {
  const groups = new Map();
  const counts = new Map();
  for (const file of [...files].sort()) {
    const kind = kindOf(file);
    const name = groupName(file, kind, counts);
    groups.set(name, { kind, files: [...(groups.get(name)?.files ?? []), file] });
  }
  const place = ({ files: [file] }) =>
    longestFirst.includes(file) ? longestFirst.indexOf(file) : longestFirst.length;
  const isAlone = ({ files }) => Number(files.length === 1);
  const ordered = [...groups.values()].sort((a, b) => place(a) - place(b) || isAlone(a) - isAlone(b));
  const isCalm = ({ files: [file] }) => calm.some((start) => file.startsWith(start));
  return { sideBySide: ordered.filter((group) => !isCalm(group)), calm: ordered.filter(isCalm) };
}

function groupName(file, kind, counts) {
  const all = together.find((start) => file.startsWith(start));
  if (all !== undefined) return all;
  if (longestFirst.includes(file) || !inBatches.some((start) => file.startsWith(start))) return file;
  const count = counts.get(kind) ?? 0;
  counts.set(kind, count + 1);
  return `${kind} ${Math.floor(count / batchSize)}`;
}

/** Most tests wait for a server or a database that works for them, so two more than there are cores keep all busy. */
export function workerCount() {
  const wanted = Number(process.env.COUNTERSIGN_TEST_WORKERS);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : Math.min(availableParallelism() + 2, 6);
}
