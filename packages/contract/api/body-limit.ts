/** How much of a body a route reads. Anything larger is rejected before or while it is read. */
export interface BodyLimit {
  readonly bytes: number;
  /** Values in the JSON text, including nested ones. */
  readonly values: number;
}

const kibibyte = 1024;

/** For a request without a body; an empty object is accepted. */
export const noBody: BodyLimit = { bytes: kibibyte, values: 10 };

/** A handful of short fields, often from anonymous callers. */
export const smallBody: BodyLimit = { bytes: 8 * kibibyte, values: 50 };

/** Room for a note of 10,000 characters, each written as an escape. */
export const ordinaryBody: BodyLimit = { bytes: 64 * kibibyte, values: 1_000 };

/** Also fits custom JSON objects. */
export const longBody: BodyLimit = { bytes: 256 * kibibyte, values: 20_000 };

/** A list of some thousand short entries. */
export const listBody: BodyLimit = { bytes: 512 * kibibyte, values: 20_000 };

/** Ten thousand licenses of the usual size. */
export const bulkBody: BodyLimit = { bytes: 4 * 1024 * kibibyte, values: 200_000 };

/** A file, which is streamed and not parsed as a whole. */
export const fileBody: BodyLimit = { bytes: 100 * 1024 * kibibyte, values: 0 };

/** Deep enough for the JSON objects of licenses and products, wherever they are in a body. */
export const deepestBody = 40;

export function sizeInWords({ bytes }: Pick<BodyLimit, "bytes">): string {
  const kibibytes = bytes / kibibyte;
  return kibibytes < kibibyte ? `${kibibytes} KiB` : `${kibibytes / kibibyte} MiB`;
}
