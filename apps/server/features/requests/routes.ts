import * as contract from "@countersign/contract/manage/requests";
import { hourMs } from "@countersign/domain/dates/lengths";
import { validateStatuses } from "@countersign/domain/validate/status";
import { lastValidation } from "@countersign/store/queries/requests/last-validation";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { requireProduct } from "../../http/manage/context.ts";
import { iso } from "../../http/manage/page.ts";

export const requestRoutes: readonly BoundRoute[] = [
  bind(contract.getLastValidation, async (context) => {
    const { listReads } = context.store;
    const row = await lastValidation(listReads, requireProduct(context).id, context.nowMs - hourMs);
    const status = validateStatuses.find((known) => known === row?.status);
    if (row === undefined || status === undefined) return { request: null };
    const { id, at, license_id, problem } = row;
    return { request: { id, at: iso(at), status, license_id, problem } };
  }),
];
