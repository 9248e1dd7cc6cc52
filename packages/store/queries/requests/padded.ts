/**
 * The numbers, with as many impossible ones as it takes for one of a few lengths: a query with a list of them is then
 * prepared once per length.
 */
export function padded(numbers: readonly number[]): number[] {
  const length = lengths.find((each) => each >= numbers.length) ?? numbers.length;
  return [...numbers, ...Array<number>(length - numbers.length).fill(-1)];
}

const lengths = [1, 4, 16, 64, 128, 256, 512];
