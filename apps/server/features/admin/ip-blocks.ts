import * as contract from "@countersign/contract/manage/admin";
import { lockPlatformBlocks } from "@countersign/store/queries/admin/platform";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind } from "../../api/context.ts";
import { asPlatform } from "../audit-log/record.ts";
import { addBlock, changeBlock, listBlocks, removeBlock } from "../ip-blocks/blocks.ts";

/** The block list routes of organizations, for the platform's list. */
export const platformBlockRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformIpBlocks, async (context, { query }) =>
    listBlocks(context.store.reads, scope, query),
  ),

  bind(contract.addPlatformIpBlock, async (context, { body }) =>
    context.transaction(async (db) => addBlock(db, asPlatform(context), await locked(db), body)),
  ),

  bind(contract.updatePlatformIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, asPlatform(context), await locked(db), input.params.block_id, input.body),
    ),
  ),

  bind(contract.removePlatformIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, asPlatform(context), await locked(db), input.params.block_id),
    ),
  ),
];

const scope = { tier: "platform" } as const;

async function locked(db: Database): Promise<typeof scope> {
  await lockPlatformBlocks(db);
  return scope;
}
