import { OperatorProblem } from "../base/operator-problem.ts";

export function required(command: string, name: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new OperatorProblem(`--${name} is missing. Run countersign ${command} --help for the options.`);
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new OperatorProblem(`--${name} is "${value}". It must be one of: ${allowed.join(", ")}.`);
}
