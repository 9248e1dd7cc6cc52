/** The name as it can stand in an address: "Nördlich & Söhne" becomes "nordlich-sohne". */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  // A name in another script leaves nothing over.
  return slug === "" ? "organization" : slug;
}

/** The slug itself, then with a number, then with a random end: the first that nobody has is taken. */
export function* slugCandidates(slug: string, randomBytes: (count: number) => Uint8Array): Generator<string> {
  yield slug;
  for (let number = 2; number <= lastNumber; number++) yield `${slug}-${number}`;
  for (let tries = 0; tries < randomTries; tries++) {
    yield `${slug}-${Buffer.from(randomBytes(4)).toString("hex")}`;
  }
}

const maxLength = 48;
const lastNumber = 9;
const randomTries = 8;
