import * as contract from "@countersign/contract/portal/me";
import { preferredLanguage } from "@countersign/domain/mail/languages";
import {
  countIdentities,
  endPortalSession,
  portalPerson,
  portalSessionById,
  portalSessionsOf,
  removeIdentity,
  removePortalPerson,
  setPortalLocale,
} from "@countersign/store/queries/portal/people";
import { type BoundRoute, bind } from "../../api/context.ts";
import { requireSession } from "../../api/customer-access.ts";
import { Problem } from "../../http/problem.ts";
import { cancelLostTransfers, releaseTransfers } from "../transfers/end.ts";
import { codeSeconds, requestAddition, withAdditionCode } from "./codes.ts";
import { startDiscord } from "./discord.ts";
import {
  addIdentity,
  IdentityLimitReached,
  maxIdentities,
  showPortalMe,
  showPortalSession,
} from "./identities.ts";
import { removedPortalCookie, withCookies } from "./session.ts";
import { codeParts } from "./sign-in-routes.ts";

/** What customers decide about their own account in the portal. No organization learns of it. */
export const portalAccountRoutes: readonly BoundRoute[] = [
  bind(contract.getPortalMe, async (context) => {
    const db = context.store.reads;
    const session = await portalSessionById(db, context.actor.sessionId);
    if (session === undefined) throw new Problem("sign_in_required");
    return showPortalMe(db, session);
  }),

  bind(contract.updatePortalMe, async (context, { body }) => {
    const { personId, sessionId } = context.actor;
    return context.transaction(async (db) => {
      const session = await requireSession(db, personId, sessionId);
      if (body.locale !== undefined) await setPortalLocale(db, personId, body.locale, context.nowMs);
      return showPortalMe(db, session);
    });
  }),

  bind(contract.deletePortalMe, async (context) => {
    const { personId, sessionId } = context.actor;
    await context.transaction(async (db) => {
      await requireSession(db, personId, sessionId);
      await releaseTransfers(db, context, personId);
      await removePortalPerson(db, personId);
    });
    return withCookies(204, null, [removedPortalCookie(context.config.portalUrl, "countersign_portal")]);
  }),

  bind(contract.listPortalSessions, async (context) => {
    const { personId, sessionId } = context.actor;
    const rows = await portalSessionsOf(context.store.reads, personId, context.nowMs);
    return { data: rows.map((row) => showPortalSession(row, sessionId)) };
  }),

  bind(contract.endPortalSession, async (context, input) => {
    const { personId } = context.actor;
    return context.transaction(async (db) => {
      if (!(await endPortalSession(db, personId, input.params.session_id))) throw new Problem("not_found");
    });
  }),

  bind(contract.addPortalEmail, async (context, { body }) => {
    const { personId } = context.actor;
    const { store, signIn, request, ip, nowMs } = context;
    if ((await countIdentities(store.reads, personId)) >= maxIdentities) throw new IdentityLimitReached();
    // Whatever the email addresses: a customer must not send emails to everyone.
    await signIn.flood.accounts.check("portal_sign_in", `person ${personId}`, { ip: null, deviceId: null });
    const chosen = (await portalPerson(store.reads, personId))?.locale ?? null;
    await requestAddition(await codeParts(context), {
      email: body.email.toLowerCase(),
      personId,
      ip,
      language: chosen ?? preferredLanguage(request.headers.get("accept-language")),
      nowMs,
    });
    return { expires_in_seconds: codeSeconds };
  }),

  bind(contract.verifyPortalEmail, async (context, { body }) => {
    const { actor, nowMs } = context;
    const email = body.email.toLowerCase();
    const attempt = { email, code: body.code, personId: actor.personId, nowMs };
    const shown = await withAdditionCode(await codeParts(context), attempt, async (db) => {
      await addIdentity(db, context, actor, { kind: "email", value: email, name: null });
      return showPortalMe(db, await requireSession(db, actor.personId, actor.sessionId));
    });
    if (shown === null) throw new Problem("wrong_sign_in_code");
    return shown;
  }),

  bind(contract.addPortalDiscord, async (context) => {
    const { personId, sessionId } = context.actor;
    if ((await countIdentities(context.store.reads, personId)) >= maxIdentities)
      throw new IdentityLimitReached();
    const { url, cookie } = await startDiscord(context, { sessionId, next: null });
    return withCookies(200, { url }, [cookie]);
  }),

  bind(contract.removePortalIdentity, async (context, input) => {
    const { personId, sessionId } = context.actor;
    return context.transaction(async (db) => {
      const session = await requireSession(db, personId, sessionId);
      const isLast = (await countIdentities(db, personId)) === 1;
      if (!(await removeIdentity(db, personId, input.params.identity_id))) throw new Problem("not_found");
      if (isLast) throw new Problem("last_sign_in_method");
      await cancelLostTransfers(db, context, personId);
      return showPortalMe(db, session);
    });
  }),
];
