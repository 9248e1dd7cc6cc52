import { walkPages } from "./every-page.ts";
import { pages } from "./page-list.ts";

walkPages("pages outside of organizations", {
  pages: pages.filter(({ path }) => !path.startsWith("/o/")),
  overlayCount: 20,
});
