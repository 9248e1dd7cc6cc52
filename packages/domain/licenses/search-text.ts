/** What a search for a license looks through. */
export interface Searchable {
  readonly key: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
  readonly notes: string | null;
  readonly tags: readonly string[];
}

/** One text in lower case, its parts apart so that no search matches across two of them. */
export function searchText({ key, email, name, discordId, notes, tags }: Searchable): string {
  return [key, email, name, discordId, notes?.slice(0, longestNotes) ?? null, ...tags]
    .filter((part) => part !== null && part !== "")
    .join("\n")
    .toLowerCase();
}

/** What is looked for, as it would stand in such a text. */
export function searchTerm(text: string): string {
  return text.trim().toLowerCase();
}

/** The rest of very long notes is not searched. */
const longestNotes = 500;
