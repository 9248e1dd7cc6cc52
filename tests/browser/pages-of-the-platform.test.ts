import { walkPages } from "./every-page.ts";
import { isOfOrganization, pages } from "./page-list.ts";

walkPages("every page of the platform, of an account, and of people who are not signed in", {
  names: Object.keys(pages).filter((name) => !isOfOrganization(name)),
  overlayCount: 20,
});
