/** Something the person who runs the program can put right. The message says what, and how, in whole sentences. */
export class OperatorProblem extends Error {
  override readonly name: string = "OperatorProblem";
}
