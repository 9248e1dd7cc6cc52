import { type EnhanceAppContext, useData } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import { ApiReference } from "./api-reference.ts";
import "./style.css";

/** The page with the API reference has a content security policy of its own, so it is always loaded whole. */
const referencePage = /^\/docs\/reference\/api\/?$/;

export default {
  extends: DefaultTheme,
  Layout: () => {
    const { page } = useData();
    const isReference = page.value.relativePath === "reference/api.md";
    return h(DefaultTheme.Layout, null, isReference ? { "page-top": () => h(ApiReference) } : {});
  },
  enhanceApp({ app, router }: EnhanceAppContext) {
    if (typeof window === "undefined") {
      // Otherwise, a page that cannot be drawn is written empty, and the build succeeds.
      app.config.errorHandler = (error) => {
        throw error;
      };
      return;
    }
    router.onBeforeRouteChange = (to) => {
      const isFrom = referencePage.test(window.location.pathname);
      const { pathname, href } = new URL(to, window.location.href);
      if (isFrom === referencePage.test(pathname)) return;
      window.location.href = href;
      return false;
    };
  },
};
