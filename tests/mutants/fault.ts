/** A fault of one line that a test must catch. */
export interface Fault {
  /** What the fault does, unique among all faults. */
  readonly name: string;
  /** What a customer, a seller or an operator would suffer from it. */
  readonly why: string;
  /** Text that occurs exactly once in the sources, wherever they are. It may span lines to be unique. */
  readonly find: string;
  readonly replace: string;
  /**
   * The test files that guard this place, the quickest first: paths from the root. They run in this order until a test
   * fails.
   */
  readonly guards: readonly string[];
}
