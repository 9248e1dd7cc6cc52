import * as contract from "@countersign/contract/manage/analytics";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { exportedTable } from "./export.ts";
import { licenseAnalytics } from "./licenses.ts";
import { refusedLicenses } from "./refused.ts";
import { requestAnalytics } from "./requests.ts";
import { sharingSuspects } from "./sharing.ts";

export const analyticsRoutes: readonly BoundRoute[] = [
  bind(contract.getAnalytics, (context, { query }) => requestAnalytics(context, query)),
  bind(contract.getLicenseAnalytics, (context, { query }) => licenseAnalytics(context, query)),
  bind(contract.listMostRefused, (context, { query }) => refusedLicenses(context, query)),
  bind(contract.listSharingSuspects, (context, { query }) => sharingSuspects(context, query)),
  bind(contract.exportAnalytics, (context, { query }) => exportedTable(context, query)),
];
