/** One JSON value on one line, as programs expect of `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
