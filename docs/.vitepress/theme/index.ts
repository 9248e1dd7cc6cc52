import { useData } from "vitepress";
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
  enhanceApp({ router }: { router: { onBeforeRouteChange?: (to: string) => boolean | undefined } }) {
    if (typeof window === "undefined") return;
    router.onBeforeRouteChange = (to) => {
      const isFrom = referencePage.test(window.location.pathname);
      const { pathname, href } = new URL(to, window.location.href);
      if (isFrom === referencePage.test(pathname)) return undefined;
      window.location.href = href;
      return false;
    };
  },
};
