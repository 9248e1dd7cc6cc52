import * as discord from "./discord.ts";
import * as passkeys from "./passkeys.ts";
import * as passwords from "./passwords.ts";
import type { AuthRoute } from "./route.ts";
import * as secondFactor from "./second-factor.ts";
import * as signIn from "./sign-in.ts";

const all = { ...signIn, ...discord, ...passwords, ...secondFactor, ...passkeys };

export type AuthRouteId = (typeof all)[keyof typeof all]["id"];

/** Every route of the sign-in library that is accepted. A route that is not in this list does not exist. */
export const authRoutes: readonly AuthRoute<AuthRouteId>[] = [
  signIn,
  discord,
  passwords,
  secondFactor,
  passkeys,
].flatMap((module): AuthRoute<AuthRouteId>[] => Object.values(module));
