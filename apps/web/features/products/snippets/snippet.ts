/** What a snippet is filled in with. The keys are not: they are read from the environment. */
export interface Blanks {
  /** Where this server is, without a slash at the end. */
  readonly server: string;
  readonly productId: string;
  /** Whether answers are signed, and so have to be checked. */
  readonly isSigned: boolean;
}

export interface Snippet {
  readonly file: string;
  readonly text: string;
}

/** Without the lines that only a signed answer needs. */
export function lines(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n");
}
