/** How much of a body a route reads. What is larger is refused before it is read, or while it is. */
export interface BodyLimit {
  readonly bytes: number;
  /** Values in the JSON text, those inside lists and objects included. */
  readonly values: number;
}

const kibibyte = 1024;

/** For a request that has no use for a body; an empty object may come along. */
export const noBody: BodyLimit = { bytes: kibibyte, values: 10 };

/** A handful of short fields, often from callers who are not signed in. */
export const smallBody: BodyLimit = { bytes: 8 * kibibyte, values: 50 };

/** Room for a note of 10,000 characters, each written as an escape. */
export const ordinaryBody: BodyLimit = { bytes: 64 * kibibyte, values: 1_000 };

/** Also holds JSON objects of the caller's own. */
export const longBody: BodyLimit = { bytes: 256 * kibibyte, values: 20_000 };

/** A list of some thousand short entries. */
export const listBody: BodyLimit = { bytes: 512 * kibibyte, values: 20_000 };

/** Ten thousand licenses, each with what licenses usually have. */
export const bulkBody: BodyLimit = { bytes: 4 * 1024 * kibibyte, values: 200_000 };

/** A file, which is read as it comes and not parsed as a whole. */
export const fileBody: BodyLimit = { bytes: 100 * 1024 * kibibyte, values: 0 };

/** Deep enough for the JSON objects that licenses and products hold, wherever in a body they are. */
export const deepestBody = 40;

export function sizeInWords({ bytes }: Pick<BodyLimit, "bytes">): string {
  const kibibytes = bytes / kibibyte;
  return kibibytes < kibibyte ? `${kibibytes} KiB` : `${kibibytes / kibibyte} MiB`;
}
