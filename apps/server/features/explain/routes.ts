import * as contract from "@countersign/contract/manage/explain";
import { explain } from "@countersign/domain/validate/explain";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { requireAccess, requireLicense } from "../../http/manage/context.ts";
import { milliseconds } from "../../http/manage/page.ts";
import { Problem } from "../../http/manage/problem.ts";
import { explainedRequest } from "./explained-request.ts";

export const explainRoutes: readonly BoundRoute[] = [
  bind(contract.explainLicense, async (context, { body }) => {
    const request = await explainedRequest(
      context.store,
      requireLicense(context).id,
      {
        ip: body.ip ?? null,
        version: body.version ?? null,
        atMs: body.at === undefined ? context.nowMs : milliseconds(body.at),
      },
      { nowMs: context.nowMs, showsLicense: requireAccess(context).permissions.has("licenses:view") },
    );
    if (request === null) throw new Problem("license_not_found");
    const { status, valid, rules } = explain(request);
    return { status, valid, rules: rules.map((rule) => ({ ...rule, facts: { ...rule.facts } })) };
  }),
];
