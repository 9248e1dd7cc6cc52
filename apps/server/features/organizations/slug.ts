/** The slug itself, then with a number, then with a random suffix: the first that is free is used. */
export function* slugCandidates(slug: string, randomBytes: (count: number) => Uint8Array): Generator<string> {
  yield slug;
  for (let number = 2; number <= lastNumber; number++) yield `${slug}-${number}`;
  for (let tries = 0; tries < randomTries; tries++) {
    yield `${slug}-${Buffer.from(randomBytes(4)).toString("hex")}`;
  }
}

const lastNumber = 9;
const randomTries = 8;
