import { availableParallelism } from "node:os";
import { kindOf } from "./test-report.mjs";

/**
 * The longest files, longest first. They begin first, so that none of them is left over for the end, when only one
 * worker has something to do. A file that is not named here is not slower for it, as long as it is short.
 */
export const longestFirst = [
  "tests/browser/pages.test.ts",
  "tests/browser/pages-on-a-phone.test.ts",
  "tests/browser/overlays.test.ts",
  "tests/manage/identity-lockout.test.ts",
  "tests/manage/license-import-kill.test.ts",
  "tests/browser/members.test.ts",
  "tests/manage/webhook-reenable.test.ts",
  "tests/browser/second-factor.test.ts",
  "tests/browser/forms.test.ts",
  "tests/browser/sell.test.ts",
  "tests/manage/organization-removal.test.ts",
  "tests/manage/license-import.test.ts",
  "tests/manage/events-list.test.ts",
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
  "tests/http/data-files.test.ts",
  "tests/manage/identity-sign-in.test.ts",
  "packages/store/postgres/store.test.ts",
  "tests/manage/license-counts.test.ts",
  "tests/manage/access-matrix.test.ts",
  "tests/http/fuzz-apis.test.ts",
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
  const all = [...groups.values()];
  const isNamed = ({ files: [file] }) => longestFirst.includes(file);
  const named = all
    .filter(isNamed)
    .sort((a, b) => longestFirst.indexOf(a.files[0]) - longestFirst.indexOf(b.files[0]));
  const rest = all.filter((group) => !isNamed(group));
  // Those of the management API, which come last by name, take the longest.
  const batches = rest.filter(isBatch).reverse();
  const ordered = [
    ...named,
    ...mixed(
      batches,
      rest.filter((group) => !isBatch(group)),
    ),
  ];
  const isCalm = ({ files: [file] }) => calm.some((start) => file.startsWith(start));
  return { sideBySide: ordered.filter((group) => !isCalm(group)), calm: ordered.filter(isCalm) };
}

function isBatch({ files }) {
  return files.length > 1;
}

/** One of these and one of those in turn: several browsers at once would be in each other's way. */
function mixed(some, others) {
  const turns = Math.max(some.length, others.length);
  return Array.from({ length: turns }, (_, turn) => [
    ...some.slice(turn, turn + 1),
    ...others.slice(turn, turn + 1),
  ]).flat();
}

function groupName(file, kind, counts) {
  const all = together.find((start) => file.startsWith(start));
  if (all !== undefined) return all;
  if (longestFirst.includes(file) || !inBatches.some((start) => file.startsWith(start))) return file;
  const count = counts.get(kind) ?? 0;
  counts.set(kind, count + 1);
  return `${kind} ${Math.floor(count / batchSize)}`;
}

/** Most tests wait for a server or a database that works for them, so three more than there are cores keep all busy. */
export function workerCount() {
  const wanted = Number(process.env.COUNTERSIGN_TEST_WORKERS);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : Math.min(availableParallelism() + 3, 7);
}
