import { type Failure, failure, failureText } from "@countersign/contract/problems/failures";
import { fieldErrorBody } from "@countersign/contract/problems/problems";
import type { CsvFault } from "@countersign/domain/csv/reader";
import type { HeaderFault } from "@countersign/domain/license-files/columns";

/** The import cannot go on. */
export class ImportFailed extends Error {
  override readonly name: string = "ImportFailed";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failureText(failure));
    this.failure = failure;
  }
}

type FileFault =
  | CsvFault
  | HeaderFault
  | { readonly code: "file_empty" | "file_has_nul"; readonly params: object }
  | { readonly code: "file_not_utf8"; readonly params: { readonly byte: number } }
  | { readonly code: "line_too_long"; readonly params: { readonly line: number } };

/** The rest of the file, or all of it, cannot be read. */
export class FileProblem extends ImportFailed {
  override readonly name = "FileProblem";
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(failure("import_file_invalid", { error: fieldErrorBody("file", fault) }));
    this.fault = fault;
  }
}
