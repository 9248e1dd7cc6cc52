interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

/** The IDs on each page of a list. */
export async function listPages(
  api: { get(path: string): Promise<Answer> },
  path: string,
  idOf: (entry: Answer["body"]) => string = ({ id }) => id,
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next: string = cursor && `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
    const { body } = await api.get(path + next);
    pages.push(body.data.map(idOf));
    cursor = body.next_cursor;
  }
  return pages;
}
