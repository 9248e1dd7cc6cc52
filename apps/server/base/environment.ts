import { readFileSync } from "node:fs";
import { OperatorProblem } from "./operator-problem.ts";
import { similarName } from "./similar-name.ts";

/** An invalid setting. The message names it and says what it must be. */
export class ConfigProblem extends OperatorProblem {
  override readonly name = "ConfigProblem";
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings by name, and tells which variables look like settings and are none. */
export class Settings {
  readonly #environment: Environment;
  readonly #names = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** A setting, or the contents of the file that `<NAME>_FILE` points to. Empty counts as not set. */
  text(name: string): string | null {
    this.#names.add(name);
    const direct = this.#environment[name];
    const file = this.#environment[`${name}_FILE`];
    if (direct !== undefined && direct !== "") {
      if (file !== undefined && file !== "")
        throw new ConfigProblem(`Set ${name} or ${name}_FILE, not both.`);
      return direct;
    }
    if (file === undefined || file === "") return null;
    try {
      return readFileSync(file, "utf8").trim();
    } catch (cause) {
      throw new ConfigProblem(`${name}_FILE points to ${file}, which cannot be read.`, { cause });
    }
  }

  parsed<T>(name: string, parse: (text: string) => T): T | null {
    const text = this.text(name);
    return text === null ? null : parse(text);
  }

  wholeNumber(name: string, min: number, max: number): number | null {
    return this.parsed(name, (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw new ConfigProblem(`${name} is "${text}". It should be a whole number from ${min} to ${max}.`);
    });
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T | null {
    return this.parsed(name, (text) => {
      const value = values.find((candidate) => candidate === text);
      if (value !== undefined) return value;
      throw new ConfigProblem(`${name} is "${text}". It should be one of: ${values.join(", ")}.`);
    });
  }

  /**
   * Call it when every setting has been read. A mistyped setting stops the start. Other names may have another meaning:
   * Kubernetes sets some for each service.
   */
  unknownNames(): string[] {
    const unknown = Object.keys(this.#environment).filter((name) => this.#isUnknown(name));
    const known = [...this.#names]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
    for (const name of unknown) {
      const [, written = "", file = ""] = /^COUNTERSIGN_(.*?)(_FILE)?$/.exec(name) ?? [];
      const meant = similarName(written, known);
      if (meant !== null)
        throw new ConfigProblem(`${name} is not a setting. Did you mean ${prefix}${meant}${file}?`);
    }
    return unknown;
  }

  #isUnknown(name: string): boolean {
    if (!name.startsWith(prefix) || this.#environment[name] === "" || namesOfOthers.test(name)) return false;
    return !this.#names.has(name.replace(/_FILE$/, "")) && !this.#names.has(name);
  }
}

const prefix = "COUNTERSIGN_";

/** What other programs call so: the SDKs, the command line, scripts and tests, in the same environment. */
const namesOfOthers = /^COUNTERSIGN_(?:API_KEY|TOKEN|DEVICE_ID|SIGNING_SECRETS|WEBHOOK_SECRET|BUN|TEST_\w+)$/;
