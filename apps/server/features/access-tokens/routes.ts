import * as contract from "@countersign/contract/manage/access-tokens";
import {
  accessTokensOf,
  revokeAccessToken,
  type TokenHolder,
} from "@countersign/store/queries/access-tokens/tokens";
import type { Database } from "@countersign/store/store";
import type { AccessTokenRow } from "@countersign/store/tables/organizations";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkPower, lockOrganization } from "../members/lock.ts";
import { createToken, showToken } from "./create.ts";

export const accessTokenRoutes: readonly BoundRoute[] = [
  bind(contract.listMyAccessTokens, async (context, { query }) =>
    list(context, { userId: context.actor.userId }, query),
  ),

  bind(contract.createMyAccessToken, async (context, { body }) => {
    const { userId, atMost } = context.actor;
    return createToken(context, { userId }, async () => atMost, body);
  }),

  bind(contract.revokeMyAccessToken, async (context, input) => {
    const { userId } = context.actor;
    // Only a session or a token with every permission gets here: neither is weaker than the token it revokes.
    return revoke(context, { userId }, input.params.token_id, async () => () => {});
  }),

  bind(contract.listOrganizationAccessTokens, async (context, { query }) =>
    list(context, { organizationId: context.organization.id }, query),
  ),

  bind(contract.createOrganizationAccessToken, async (context, { body }) =>
    createToken(
      context,
      { organizationId: context.organization.id },
      // Checked again under the lock: someone whose role is being removed cannot create a token.
      async (db) =>
        (await lockOrganization(db, context, "organization:manage")).organizationAccess.permissions,
      body,
    ),
  ),

  bind(contract.revokeOrganizationAccessToken, async (context, input) =>
    revoke(context, { organizationId: context.organization.id }, input.params.token_id, async (db) => {
      const locked = await lockOrganization(db, context, "organization:manage");
      return (row) => checkPower(locked, { from: row.permissions, to: null });
    }),
  ),
];

async function list(
  context: Context,
  holder: TokenHolder,
  query: { limit: number; cursor?: string | undefined },
) {
  const after = decodeCursor(query.cursor, ["text"]);
  const rows = await accessTokensOf(context.store.reads, holder, {
    afterId: after === null ? null : String(after[0]),
    limit: query.limit + 1,
  });
  return pageOf(rows, query.limit, (row) => [row.id], showToken);
}

async function revoke(
  context: Context,
  holder: TokenHolder,
  tokenId: string,
  checker: (db: Database) => Promise<(row: AccessTokenRow) => void>,
): Promise<void> {
  await context.transaction(async (db) => {
    const check = await checker(db);
    const row = await revokeAccessToken(db, holder, tokenId, context.nowMs);
    if (row === undefined) throw new Problem("access_token_not_found");
    check(row);
    await audit(db, context, {
      action: "access_token.revoked",
      subject: { kind: "access_token", id: row.id, name: row.name },
    });
  });
}
