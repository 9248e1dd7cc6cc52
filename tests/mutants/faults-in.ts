/** A fault of one line that a test must catch. */
export interface Fault {
  /** What the fault does, unique among all faults. */
  readonly name: string;
  /** What a customer, a seller or an operator would suffer from it. */
  readonly why: string;
  /** Text that occurs exactly once in the sources, wherever they are. It may span lines to be unique. */
  readonly find: string;
  readonly replace: string;
  /** The test files that guard this place, the quickest first. They run in this order until a test fails. */
  readonly guards: readonly string[];
}

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
  const [name = "", why = "", ...lines] = block.split("\n").map((line) => line.replace(/^ {2}/, ""));
  const textOf = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(sign.length)] : [])).join("\n");
  const find = textOf("- ");
  if (find === "") throw new Error(`A fault changes no text: ${name}`);
  const guards = lines.filter((line) => !/^[-+] /.test(line)).flatMap((line) => line.trim().split(/\s+/));
  return { name, why: why.trim(), find, replace: textOf("+ "), guards };
}
