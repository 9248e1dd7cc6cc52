/** Something an operator can put right. The message is one whole sentence, or two, that says what and how. */
export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
}

/** Storage did not answer. The request fails closed; nothing is wrong with what was asked. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}
