import * as contract from "@countersign/contract/portal/sign-in";
import { acceptedLanguage } from "@countersign/domain/mail/languages";
import { endPortalSession, endPortalSessions } from "@countersign/store/queries/portal/people";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind, type Context } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { pause } from "../../limits/waiting.ts";
import { isFirstReturn } from "../identity/discord.ts";
import { type CodeParts, codeSeconds, requestSignIn, withSignInCode, withSignInLink } from "./codes.ts";
import {
  backToPortal,
  type DiscordFlow,
  flowOf,
  isStateOf,
  provenByDiscord,
  startDiscord,
} from "./discord.ts";
import { addIdentity, IdentityLimitReached, showPortalMe } from "./identities.ts";
import { portalSecrets } from "./secrets.ts";
import {
  isPortalToken,
  newPortalToken,
  type OpenedSession,
  openPortalSession,
  portalCookie,
  portalCookieIn,
  portalDevices,
  removedPortalCookie,
  sessionCookies,
  withCookies,
} from "./session.ts";

/** Well above what either result takes, so that timing does not reveal whether an email address is known. */
const constantResponseMs = 600;

/** How customers sign in to the portal, and out. */
export const portalSignInRoutes: readonly BoundRoute[] = [
  bind(contract.getPortalOptions, async ({ config }) => ({
    discord: config.discord !== null,
    sends_email: config.mail !== null,
    url: config.portalUrl,
  })),

  bind(contract.requestPortalSignIn, async (context, { body }) => {
    const startedMs = performance.now();
    const { store, config, request, ip, nowMs } = context;
    const { portalUrl } = config;
    // A browser that requests another code keeps its attempts at the earlier ones.
    const challenge = challengeOf(context) ?? newPortalToken();
    const devices = await portalDevices(store, portalUrl);
    const device = devices.claimedBy(request.headers);
    await requestSignIn(await codeParts(context), {
      email: body.email.toLowerCase(),
      next: body.next,
      challenge,
      ip,
      deviceOf: (personId) => (device?.userId === personId ? device.id : null),
      language: body.language ?? null,
      browserLanguage: acceptedLanguage(request.headers.get("accept-language")),
      nowMs,
    });
    await pause(request, constantResponseMs - (performance.now() - startedMs));
    const cookie = portalCookie(portalUrl, "countersign_portal_challenge", challenge, codeSeconds);
    return withCookies(202, { expires_in_seconds: codeSeconds }, [cookie]);
  }),

  bind(contract.verifyPortalSignIn, async (context, { body }) => {
    const { ip, nowMs } = context;
    const email = body.email.toLowerCase();
    const attempt = { email, code: body.code, challenge: challengeOf(context), ip, nowMs };
    const signedIn = await withSignInCode(await codeParts(context), attempt, (db) =>
      signInByEmail(db, context, email),
    );
    if (signedIn === null) throw new Problem("wrong_sign_in_code");
    return withCookies(200, signedIn.me, await sessionCookies(context, signedIn));
  }),

  bind(contract.signInWithPortalLink, async (context, { body }) => {
    const { ip, nowMs } = context;
    const signedIn = await withSignInLink(
      await codeParts(context),
      { token: body.token, ip, nowMs },
      (db, email) => signInByEmail(db, context, email),
    );
    if (signedIn === null) throw new Problem("invalid_link");
    return withCookies(200, signedIn.me, await sessionCookies(context, signedIn));
  }),

  bind(contract.startPortalDiscord, async (context, { body }) => {
    const { url, cookie } = await startDiscord(context, { sessionId: null, next: body.next ?? null });
    return withCookies(200, { url }, [cookie]);
  }),

  bind(contract.returnFromPortalDiscord, async (context, { query }) => {
    const { config } = context;
    const flow = await flowOf(context);
    if (flow === null || !isStateOf(flow, query.state)) return backToPortal(config, "/sign-in", "expired");
    if (!(await isFirstReturn(context.store, flow.state, context.nowMs)))
      return backToPortal(config, "/sign-in", "expired");
    const start = flow.sessionId === null ? "/sign-in" : "/account";
    if (config.discord === null) return backToPortal(config, start, "not_configured");
    if (query.error !== undefined || query.code === undefined)
      return backToPortal(config, start, query.error === "access_denied" ? "denied" : "failed");
    return flow.sessionId === null
      ? signInByDiscord(context, query.code, flow)
      : addDiscord(context, query.code, flow);
  }),

  bind(contract.signOutOfPortal, async (context, { body }) => {
    const { personId, sessionId } = context.actor;
    const { portalUrl } = context.config;
    await context.transaction((db) =>
      body.everywhere ? endPortalSessions(db, personId) : endSession(db, personId, sessionId),
    );
    return withCookies(204, null, [removedPortalCookie(portalUrl, "countersign_portal")]);
  }),
];

/** What the handlers of codes need. */
export async function codeParts({ store, config, signIn }: Context): Promise<CodeParts> {
  const { portalUrl } = config;
  const { flood } = signIn;
  return {
    store,
    secrets: await portalSecrets(store),
    limits: flood.accounts,
    countUnknownBrowser: () => flood.checkAnonymousCustomer(),
    portalUrl,
  };
}

function challengeOf({ request, config }: Context): string | null {
  const challenge = portalCookieIn(request.headers, config.portalUrl, "countersign_portal_challenge");
  return challenge !== null && isPortalToken(challenge) ? challenge : null;
}

async function signInByEmail(db: Database, context: Context, email: string) {
  const opened = await openPortalSession(db, context, { kind: "email", value: email, name: null });
  return { ...opened, me: await showPortalMe(db, opened.session) };
}

async function signInByDiscord(context: Context, code: string, flow: DiscordFlow): Promise<Response> {
  const { config, store } = context;
  const proven = await provenByDiscord(context, code, flow);
  if (proven === null) return backToPortal(config, "/sign-in", "failed");
  const opened: OpenedSession = await store.transaction((db) => openPortalSession(db, context, proven));
  return backToPortal(config, flow.next ?? "/", null, await sessionCookies(context, opened));
}

/** Only in the session that started: someone else's browser must not add its user's Discord account. */
async function addDiscord(context: Context, code: string, flow: DiscordFlow): Promise<Response> {
  const { config, store, actor } = context;
  if (actor?.kind !== "customer" || actor.sessionId !== flow.sessionId)
    return backToPortal(config, "/sign-in", "expired");
  const proven = await provenByDiscord(context, code, flow);
  if (proven === null) return backToPortal(config, "/account", "failed");
  try {
    await store.transaction((db) => addIdentity(db, context, actor, proven));
  } catch (error) {
    if (!(error instanceof IdentityLimitReached)) throw error;
    return backToPortal(config, "/account", "too_many_identities");
  }
  return backToPortal(config, "/account", null);
}

async function endSession(db: Database, personId: string, sessionId: string): Promise<void> {
  await endPortalSession(db, personId, sessionId);
}
