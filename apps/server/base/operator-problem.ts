/** A problem that the operator can fix. The message says what is wrong and what to do, in complete sentences. */
export class OperatorProblem extends Error {
  override readonly name: string = "OperatorProblem";
}
