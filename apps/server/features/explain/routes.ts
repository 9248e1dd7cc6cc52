import * as contract from "@countersign/contract/manage/explain";
import { type ExplainedRule, explain } from "@countersign/domain/validate/explain";
import { explainAgain } from "@countersign/domain/validate/explain-again";
import { everyRequest } from "@countersign/store/queries/requests/filter";
import { requestById } from "@countersign/store/queries/requests/search";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { MemberContext } from "../../api/context.ts";
import { milliseconds } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { requestsKeptSince } from "../requests/kept-since.ts";
import { outcomeOf } from "../requests/show.ts";
import { explainedRequest } from "./explained-request.ts";

export const explainRoutes: readonly BoundRoute[] = [
  bind(contract.explainLicense, async (context, { body }) => {
    const { id: licenseId, product_id: productId } = context.license;
    const asked = {
      ip: body.ip ?? null,
      version: body.version ?? null,
      atMs: body.at === undefined ? context.nowMs : milliseconds(body.at),
    };
    const request = await explainedRequest(context.store, { productId, licenseId }, asked, viewOf(context));
    if (request === null || request.license === null) throw new Problem("license_not_found");
    const { status, valid, rules } = explain(request);
    return { status, valid, rules: shownRules(rules) };
  }),

  bind(contract.explainRequest, async (context, input) => {
    const { organization, store, nowMs } = context;
    const filter = { ...everyRequest(organization.id), requestId: input.params.request_id };
    const fromMs = await requestsKeptSince(context, organization);
    const row = await requestById(store.listReads, filter, { fromMs, untilMs: Number.MAX_SAFE_INTEGER });
    if (row === null) throw new Problem("request_not_found");
    const of = { productId: row.product_id, licenseId: row.license_id };
    const { ip, version } = row;
    const request = await explainedRequest(store, of, { ip, version, atMs: nowMs }, viewOf(context));
    // An organization's products are only marked as deleted, so this one has never been stored.
    if (request === null) throw new Problem("request_not_found");
    const logged = {
      endpoint: row.endpoint,
      outcome: outcomeOf(row.status),
      licenseId: row.license_id,
      problem: row.problem,
      count: row.count,
      sandbox: row.sandbox === 1,
    };
    const { rules, ...again } = explainAgain(logged, request);
    return { ...again, rules: shownRules(rules) };
  }),
];

function viewOf(context: MemberContext) {
  return { nowMs: context.nowMs, showsLicense: context.organizationAccess.permissions.has("licenses:view") };
}

function shownRules(rules: readonly ExplainedRule[]) {
  return rules.map((rule) => ({ ...rule, facts: { ...rule.facts } }));
}
