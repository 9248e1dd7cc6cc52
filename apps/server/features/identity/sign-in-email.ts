import { z } from "zod";
import { invalid } from "../../http/problem.ts";

const strict = z.email();

/** Whether the sign-in library accepts it as an email address: with any other, nobody could sign in. */
export function isSignInEmail(text: string): boolean {
  return strict.safeParse(text).success;
}

export function checkSignInEmail(field: string, text: string): void {
  if (!isSignInEmail(text)) throw invalid(field, "not_an_email");
}
