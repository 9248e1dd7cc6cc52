import { reasonOf } from "../base/log.ts";

const longest = 500;

/** Why a job failed, for platform admins: on one line, bounded, and without what looks like a credential. */
export function failureText(error: unknown): string {
  const text = reasonOf(error)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(urlCredentials, "://…@")
    .replace(urlQuery, "$1?…")
    .replace(knownSecrets, "$1…")
    .replace(namedSecrets, "$1…");
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

const urlCredentials = /:\/\/[^\s/@]+@/g;
const urlQuery = /(\w+:\/\/[^\s?]+)\?[^\s)"']+/g;
/** Tokens and keys of Countersign and Stripe, by how they start. */
const knownSecrets = /\b((?:csk|cst|whsec|sk_live|sk_test|rk_live|rk_test)_)[\w+/=-]+/g;
const namedSecrets =
  /\b((?:password|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*(?:bearer\s+)?)[^\s,;)}]+/gi;
