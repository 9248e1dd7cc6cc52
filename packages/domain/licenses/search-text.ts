/** What a search for a license looks through. */
export interface Searchable {
  readonly key: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
  readonly notes: string | null;
  readonly tags: readonly string[];
}

/** One text in lower case and without hyphens, its parts apart so that no search matches across two of them. */
export function searchText({ key, email, name, discordId, notes, tags }: Searchable): string {
  return plain(
    [key, email, name, discordId, notes?.slice(0, longestNotes) ?? null, ...tags]
      .filter((part) => part !== null && part !== "")
      .join("\n"),
  );
}

/**
 * What is looked for: words that such a text holds all of, in any order. A key is found with its hyphens and without, for
 * neither the texts nor the words have any.
 */
export function searchWords(text: string): string[] {
  const words = [...new Set(plain(text).split(/\s+/))].filter((word) => word !== "");
  // Hyphens alone are in no text, so that nothing is found: no word at all would find everything.
  if (words.length === 0) return [text.trim()];
  // The index of texts knows nothing shorter than three characters.
  return words.some((word) => [...word].length >= 3) ? words : [plain(text).trim()];
}

/** Hyphens and dashes of all kinds: programs for writing make a dash of a hyphen. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\p{Pd}/gu, "");
}

/** The rest of very long notes is not searched. */
const longestNotes = 500;
