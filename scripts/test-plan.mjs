import { availableParallelism } from "node:os";
import { kindOf } from "./test-report.mjs";

/**
 * The longest files, longest first. They start first, so that none of them runs at the end, when the other workers have
 * nothing left to do. A short file need not be listed.
 */
export const longestFirst = [
  "tests/browser/pages.test.ts",
  "tests/browser/pages-on-a-phone.test.ts",
  "tests/browser/overlays.test.ts",
  "tests/browser/portal.test.ts",
  "tests/manage/identity-lockout.test.ts",
  "tests/manage/portal-sign-in.test.ts",
  "tests/manage/portal-account.test.ts",
  "tests/manage/hostile-inputs.test.ts",
  "tests/manage/license-import-kill.test.ts",
  "tests/browser/billing.test.ts",
  "tests/browser/members.test.ts",
  "tests/browser/platform.test.ts",
  "tests/manage/webhook-reenable.test.ts",
  "tests/browser/transfers.test.ts",
  "tests/browser/second-factor.test.ts",
  "tests/browser/product-portal.test.ts",
  "tests/browser/analytics.test.ts",
  "tests/browser/forms.test.ts",
  "tests/browser/create-license.test.ts",
  "tests/browser/banners.test.ts",
  "tests/manage/organization-removal.test.ts",
  "tests/manage/organization-deletion.test.ts",
  "tests/manage/storage-outage.test.ts",
  "tests/manage/stripe-webhooks.test.ts",
  "tests/manage/license-import.test.ts",
  "tests/manage/events-list.test.ts",
  "tests/manage/webhook-replay-kill.test.ts",
  "tests/manage/requests-live.test.ts",
  "tests/manage/identity-first-run.test.ts",
  "tests/manage/mail-timed.test.ts",
  "tests/manage/mail.test.ts",
  "tests/manage/events-quota.test.ts",
  "tests/manage/billing-clock.test.ts",
  "tests/manage/mail-limit.test.ts",
  "tests/manage/mail-batches.test.ts",
  "tests/manage/webhook-refused-results.test.ts",
  "apps/server/cli/restore.test.ts",
  "tests/http/start-problems.test.ts",
  "tests/http/data-files.test.ts",
  "tests/http/traces.test.ts",
  "tests/manage/identity-sign-in.test.ts",
  "packages/store/postgres/store.test.ts",
  "tests/manage/portal-licenses.test.ts",
  "tests/manage/license-counts.test.ts",
  "tests/manage/access-matrix.test.ts",
  "tests/http/fuzz-apis.test.ts",
];

/** Outages, kills, races and stops under load. Their results mean little while other tests use the processor. */
const idleMachine = ["tests/faults/", "tests/races/"];

/** Many quick files that start nothing. All of a folder share a process, which costs more than the tests. */
const together = ["packages/domain/", "packages/contract/"];

/** Several of these files share a process, which loads their common modules once. Some share a server. */
const inBatches = ["apps/", "packages/store/", "tests/http/", "tests/manage/"];
const batchSize = 10;

/**
 * Which files share a process, and in which order the processes start. Each group is of one kind. Free workers take the
 * next group of `parallel`. The groups of `last` follow, two at a time.
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
  // Files of the management API sort last by name and take the longest.
  const batches = rest.filter(isBatch).reverse();
  const ordered = [
    ...named,
    ...alternating(
      batches,
      rest.filter((group) => !isBatch(group)),
    ),
  ];
  const isLast = ({ files: [file] }) => idleMachine.some((start) => file.startsWith(start));
  return { parallel: ordered.filter((group) => !isLast(group)), last: ordered.filter(isLast) };
}

function isBatch({ files }) {
  return files.length > 1;
}

/** Alternates between the two lists, because several browsers at the same time slow each other down. */
function alternating(some, others) {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, index) => [
    ...some.slice(index, index + 1),
    ...others.slice(index, index + 1),
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

/** Most tests wait for a server or a database, so three workers more than cores keep all cores busy. */
export function workerCount() {
  const wanted = Number(process.env.COUNTERSIGN_TEST_WORKERS);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : Math.min(availableParallelism() + 3, 7);
}
