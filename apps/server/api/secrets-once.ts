import type { Route } from "@countersign/contract/api/route";
import { type SecretField, secretFieldsOf, withoutSecrets } from "@countersign/contract/api/secrets";
import { problemText } from "@countersign/contract/problems/problems";
import { Problem } from "../http/problem.ts";

/** What is stored of a response that contained secrets. */
interface StoredWithoutSecrets {
  readonly first_response: unknown;
  readonly secret_fields: readonly string[];
}

/** Responses without the secrets that the contract marks: a repeat cannot show what is not stored. */
export class SecretsOnce {
  readonly #fieldsByRoute = new WeakMap<Route, readonly SecretField[]>();

  hasSecrets(route: Route): boolean {
    return this.#fieldsOf(route).length > 0;
  }

  /** What is stored for a repeat. */
  kept(route: Route, answer: unknown): unknown {
    if (!this.hasSecrets(route)) return answer;
    const { answer: rest, removed } = withoutSecrets(answer, this.#fieldsOf(route));
    return { first_response: rest, secret_fields: removed } satisfies StoredWithoutSecrets;
  }

  /**
   * The response to a repeat. If the first response contained a secret, it is an error: a program that continues as if
   * it had the secret would store nothing in its place.
   */
  repeated(route: Route, kept: unknown): unknown {
    if (!this.hasSecrets(route)) return kept;
    const { first_response, secret_fields } = kept as StoredWithoutSecrets;
    if (secret_fields.length === 0) return first_response;
    const next = this.#fieldsOf(route).find(({ path }) => path.join(".") === secret_fields[0])?.next ?? "";
    throw new Problem(
      "secret_already_shown",
      {},
      {
        detail: `${problemText("secret_already_shown", {})} ${next}`,
        headers: { "idempotent-replayed": "true" },
        members: { first_response, secret_fields },
      },
    );
  }

  #fieldsOf(route: Route): readonly SecretField[] {
    const known = this.#fieldsByRoute.get(route);
    if (known !== undefined) return known;
    const fields = secretFieldsOf(route.answer);
    this.#fieldsByRoute.set(route, fields);
    return fields;
  }
}
