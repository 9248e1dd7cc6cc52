import { walkPages } from "./every-page.ts";
import { pages } from "./page-list.ts";

walkPages("every page of the platform, of an account, and of people who are not signed in", {
  pages: pages.filter(({ path }) => !path.startsWith("/o/")),
  overlayCount: 20,
});
