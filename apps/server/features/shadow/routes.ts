import * as contract from "@countersign/contract/manage/shadow";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { iso } from "../../http/manage/page.ts";

export const shadowRoutes: readonly BoundRoute[] = [
  bind(contract.shadowProduct, async (context) => ({
    since: iso(context.nowMs),
    until: iso(context.nowMs),
    complete: false,
    requests: 0,
    licenses: 0,
    ineffective: null,
    refused: { requests: 0, licenses: 0, customers: 0 },
    data: [],
    more: false,
  })),
];
