import { email, name } from "@countersign/contract/manage/shapes";
import { z } from "zod";
import type { Attempt } from "./flood-limits.ts";

export const authBase = "/api/auth";

/** One address of the sign-in library that is let through. What is not in this list does not exist. */
export interface AuthRoute {
  readonly method: "GET" | "POST";
  /** Below `/api/auth`. */
  readonly path: string;
  readonly needs: "nobody" | "session";
  readonly body: z.ZodType | null;
  /** What it counts as, when somebody does it over and over. */
  readonly attempt: Attempt;
  /** Which member of the body names the account that it is tried on. */
  readonly account?: "email";
  /** A password that is about to be set. */
  readonly newPassword?: "password" | "newPassword";
  /** Looks at a password, which there may be no room for. */
  readonly isDear?: true;
  /** Answers no sooner than this, so that its time does not tell whether there is an account. */
  readonly atLeastMs?: number;
}

/** Well above what the longest of them takes on a server that is not overrun. */
const hidesWorkMs = 600;

/** Long enough for anything sensible; the rules for new passwords are stricter. */
const givenPassword = z.string().min(1, "should not be empty").max(1_024, "is too long");
const code = z.string().trim().min(1).max(64);
/** A page of this site to go to afterwards; anything else would make the server send people elsewhere. */
const target = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, "should be a page of this site, such as /account");
const credential = z.record(z.string(), z.unknown());

const post = (
  path: string,
  parts: Partial<AuthRoute> & Pick<AuthRoute, "needs" | "body" | "attempt">,
): AuthRoute => ({
  method: "POST",
  path,
  ...parts,
});
const get = (path: string, needs: AuthRoute["needs"], attempt: Attempt = "anything"): AuthRoute => ({
  method: "GET",
  path,
  needs,
  body: null,
  attempt,
});

export const authRoutes: readonly AuthRoute[] = [
  get("/get-session", "nobody"),
  post("/sign-out", { needs: "nobody", body: z.strictObject({}), attempt: "anything" }),

  post("/sign-up/email", {
    isDear: true,
    needs: "nobody",
    body: z.strictObject({
      name,
      email,
      password: z.string(),
      invitationToken: z.string().max(200).optional(),
    }),
    attempt: "sign_up",
    account: "email",
    newPassword: "password",
    atLeastMs: hidesWorkMs,
  }),
  post("/send-verification-email", {
    needs: "nobody",
    body: z.strictObject({ email }),
    attempt: "verification",
    account: "email",
    atLeastMs: hidesWorkMs,
  }),
  get("/verify-email", "nobody", "token"),

  post("/sign-in/email", {
    isDear: true,
    needs: "nobody",
    body: z.strictObject({ email, password: givenPassword, rememberMe: z.boolean().optional() }),
    attempt: "sign_in",
    account: "email",
  }),
  post("/two-factor/verify-totp", {
    needs: "nobody",
    body: z.strictObject({ code }),
    attempt: "second_factor",
  }),
  post("/two-factor/verify-backup-code", {
    needs: "nobody",
    body: z.strictObject({ code }),
    attempt: "second_factor",
  }),

  post("/sign-in/social", {
    needs: "nobody",
    body: z.strictObject({
      provider: z.literal("discord"),
      callbackURL: target.optional(),
      errorCallbackURL: target.optional(),
      newUserCallbackURL: target.optional(),
    }),
    attempt: "sign_in",
  }),
  get("/callback/discord", "nobody", "sign_in"),
  post("/link-social", {
    needs: "session",
    body: z.strictObject({
      provider: z.literal("discord"),
      callbackURL: target.optional(),
      errorCallbackURL: target.optional(),
    }),
    attempt: "anything",
  }),
  post("/unlink-account", {
    needs: "session",
    body: z.strictObject({ accountId: z.string() }),
    attempt: "anything",
  }),

  post("/request-password-reset", {
    needs: "nobody",
    body: z.strictObject({ email }),
    attempt: "reset",
    account: "email",
    atLeastMs: hidesWorkMs,
  }),
  post("/reset-password", {
    isDear: true,
    needs: "nobody",
    body: z.strictObject({ token: z.string().min(1).max(200), newPassword: z.string() }),
    attempt: "token",
    newPassword: "newPassword",
  }),
  post("/change-password", {
    isDear: true,
    needs: "session",
    body: z
      .strictObject({ currentPassword: givenPassword, newPassword: z.string() })
      .transform((body) => ({ ...body, revokeOtherSessions: true })),
    attempt: "password",
    newPassword: "newPassword",
  }),

  post("/two-factor/enable", {
    needs: "session",
    body: z.strictObject({ password: givenPassword.optional() }),
    attempt: "password",
  }),
  post("/two-factor/disable", {
    needs: "session",
    body: z.strictObject({ password: givenPassword.optional() }),
    attempt: "password",
  }),
  post("/two-factor/generate-backup-codes", {
    needs: "session",
    body: z.strictObject({ password: givenPassword.optional() }),
    attempt: "password",
  }),

  get("/passkey/generate-register-options", "session"),
  post("/passkey/verify-registration", {
    needs: "session",
    body: z.strictObject({ response: credential, name: name.optional() }),
    attempt: "anything",
  }),
  get("/passkey/list-user-passkeys", "session"),
  post("/passkey/update-passkey", {
    needs: "session",
    body: z.strictObject({ id: z.string(), name }),
    attempt: "anything",
  }),
  post("/passkey/delete-passkey", {
    needs: "session",
    body: z.strictObject({ id: z.string() }),
    attempt: "anything",
  }),
  get("/passkey/generate-authenticate-options", "nobody", "sign_in"),
  post("/passkey/verify-authentication", {
    needs: "nobody",
    body: z.strictObject({ response: credential }),
    attempt: "sign_in",
  }),
];
