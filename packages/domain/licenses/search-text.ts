/** The fields that a license search covers. */
interface Searchable {
  readonly key: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
  readonly notes: string | null;
  readonly tags: readonly string[];
}

/**
 * One text in lower case and without hyphens, with its parts separated so that no search matches across two of them.
 */
export function searchText({ key, email, name, discordId, notes, tags }: Searchable): string {
  return plain(
    [key, email, name, discordId, notes?.slice(0, maxNotesLength) ?? null, ...tags]
      .filter((part) => part !== null && part !== "")
      .join("\n"),
  );
}

/**
 * A search is a list of words that the text must contain, in any order. A key matches with or without its hyphens,
 * because neither the texts nor the words contain any.
 */
export function searchWords(text: string): string[] {
  const words = [...new Set(plain(text).split(/\s+/))].filter((word) => word !== "");
  // Hyphens alone occur in no text, so this finds nothing: an empty list of words would find everything.
  if (words.length === 0) return [text.trim()];
  // The text index cannot find anything shorter than three characters.
  return words.some((word) => [...word].length >= 3) ? words : [plain(text).trim()];
}

/** Hyphens and dashes of all kinds: word processors turn a hyphen into a dash. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\p{Pd}/gu, "");
}

/** The rest of very long notes is not searched. */
const maxNotesLength = 500;
