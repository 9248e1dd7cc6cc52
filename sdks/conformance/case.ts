import type { OutcomeRow } from "../../tests/http/outcome-rows.ts";

/** One case of the suite, as the files beside this one and `GET /suite` have it. */
export interface Case {
  readonly name: string;
  readonly client?: ClientSettings;
  readonly answers: readonly Answer[];
  readonly steps: readonly Step[];
  readonly sent?: readonly Sent[];
  readonly different_headers?: string;
}

/** What a client is made with. Only what somebody here has to understand has a type. */
export interface ClientSettings extends Readonly<Record<string, unknown>> {
  readonly signing?: SigningSettings;
  readonly timeout_ms?: number;
}

export interface SigningSettings {
  readonly product_id: string;
  readonly secrets: readonly string[];
  readonly tolerance_seconds?: number;
}

export interface Step {
  readonly validate?: Question;
  readonly check?: Question;
  readonly lookup?: Question;
  readonly advance_seconds?: number;
  readonly clock?: "wall" | "steady";
  readonly expect?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly times_at_once?: number;
  readonly requests?: number;
  readonly restart?: true;
  readonly forget?: true;
  readonly tamper_with_grace?: readonly [string, string];
}

export interface Question {
  readonly license_key?: string;
  readonly version?: string;
  readonly device_id?: string;
  readonly fresh?: boolean;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A validate answer: these members, and the usual ones for the rest. */
  readonly validate?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly sign?: Signing;
  /** For those who are to ask at once: long enough that all of them have. */
  readonly after_ms?: number;
  /** What a real server answers, once this is so there; it stays so for the answers that follow. */
  readonly real?: Arrangement;
  /** On its way to the real server, the question becomes somebody else's. */
  readonly asks_instead?: { readonly nonce?: string; readonly license_key?: string };
  /** Of a real answer, this text of the body becomes that. */
  readonly replace?: readonly [string, string];
  /** In place of what the real server says, what it said to the first question. */
  readonly replay?: boolean;
  /** Instead of an answer: the connection is cut before or within it, or nothing ever comes. */
  readonly fault?: "cut" | "cut_body" | "hang";
}

/** What there is to be on the server before an answer. */
export interface Arrangement {
  /** A row of the table that the server's own tests go by, named by what it says; or what such a row has. */
  readonly outcome?: string | Partial<OutcomeRow>;
  /** There is a license with each of these, all alike. The usual one when left out. */
  readonly keys?: readonly string[];
  /** The licenses end so long after the case began. */
  readonly ends_after_seconds?: number;
  readonly daily_limit?: number;
  /**
   * The client is told the product's secret; and, while it is exchanged, also the next one or a wrong one. Or it knows
   * certain secrets, and the id of this product or another's.
   */
  readonly signing?: "current" | "current and next" | "wrong" | KnownSecrets;
  /** The secret that the product signs with, by hex; null for a product that does not sign. */
  readonly signs_with?: string | null;
  /** The client has a wrong one, or the right one is not accepted any more. */
  readonly api_key?: "wrong" | "ended";
  readonly client_is_ahead_seconds?: number;
}

interface KnownSecrets {
  readonly secrets: readonly string[];
  readonly tolerance_seconds?: number;
  readonly product?: "another";
}

export interface Signing {
  readonly secret: string;
  readonly product_id: string;
  readonly key_id?: string;
  readonly age_seconds?: number;
  /** Instead of what the client sent. */
  readonly nonce?: string;
  readonly license_key?: string;
  readonly purpose?: string;
  /** After signing, this text of the body becomes that. */
  readonly replace?: readonly [string, string];
}

/** One delivery of a webhook, and what has to come of it. */
export interface Delivery {
  readonly name: string;
  readonly now: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly body_is_parsed?: true;
  readonly expect: object;
}

/** When scripted cases begin. */
export const start = "2026-06-01T12:00:00.000Z";
export const usualKey = "ABCD-EFGH-JKMN-PQRS";

/** What a scripted validate answer says where its case says nothing else. */
export const usual = {
  valid: true,
  status: "active",
  expires: null,
  ip_registered: false,
  ip_count: 1,
  max_ips: 3,
  version: null,
  version_valid: null,
  custom: null,
  signature: null,
};
