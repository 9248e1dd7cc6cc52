import type { Fault } from "./fault.ts";

/**
 * Reads faults that are written like changes of a file. Each begins with its name at the start of a line. Below it are why
 * it matters, the removed (-) and the inserted (+) lines, and the test files that guard the place, the quickest first:
 *
 *     a renewal starts now although the license has not expired
 *       Customers who renew early lose the rest of the time they have paid for.
 *       - Math.max(expiry.expiresAtMs, nowMs)
 *       + Math.min(expiry.expiresAtMs, nowMs)
 *       packages/domain/licenses/expiry.test.ts packages/store/queries/licenses/changes.test.ts
 *
 * A line of the change may be a part of a line in the file. Lines that begin with # are headings.
 */
export function faultsIn(text: string): readonly Fault[] {
  const blocks = text.trim().split(/\n(?=\S)/);
  return blocks.filter((block) => !block.startsWith("#")).map(read);
}

function read(block: string): Fault {
  const [name = "", why = "", ...rest] = block.split("\n");
  const withSign = (sign: string) => rest.filter((line) => line.startsWith(`  ${sign} `));
  const textOf = (sign: string) =>
    withSign(sign)
      .map((line) => line.slice("  - ".length))
      .join("\n");
  const find = textOf("-");
  if (find === "") throw new Error(`A fault changes no text: ${name}`);
  const guards = rest
    .slice(withSign("-").length + withSign("+").length)
    .join(" ")
    .trim()
    .split(/\s+/);
  return { name, why: why.trim(), find, replace: textOf("+"), guards };
}
