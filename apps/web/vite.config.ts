import { join } from "node:path";
import { authRoutes } from "@countersign/contract/auth/routes";
import { contractRoutes } from "@countersign/contract/manage/routes";
import { portalRoutes } from "@countersign/contract/portal/routes";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { languages } from "./i18n/languages.ts";
import { portalWordFiles, portalWords } from "./portal-words.ts";

/** What the dashboard and the portal both need. The portal loads nothing else of the dashboard. */
const bothNeed =
  /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|@tanstack\/(react-query|query-core))\/|apps\/web\/(api\/(send|problem|server-url)|i18n\/(problem-texts|languages|shown-time-zone)|ui\/copy-text)\.ts$|packages\/domain\/dates\/(relative-time|time-zone|lengths)\.ts$|vite\/preload-helper|rolldown\/runtime/;
const everyPageNeeds =
  /node_modules\/@tanstack\/|apps\/web\/(features\/[\w-]+\/search|session\/paths|ui\/time-in-url)\.ts$/;
/** Fields with a list of choices: many pages have one, but not all of those that a first visit opens. */
const choices = /@mantine\/core\/esm\/components\/(Combobox|ComboboxPopover|Select)\//;
/** Fields that a list does not have; the page of a license has a switch. */
const fields = /@mantine\/core\/esm\/components\/Textarea\/|apps\/web\/ui\/fields\.tsx$/;
const switches = /@mantine\/core\/esm\/components\/Switch\//;
/** What many pages have, but no list that a first visit opens: fields, forms, and other lists. */
const rareParts =
  /@mantine\/core\/esm\/components\/(Autocomplete|MultiSelect|Pill|PillsInput|Switch|TagsInput|Textarea)\/|node_modules\/react-textarea-autosize\/|apps\/web\/ui\/(confirm|fields|list|number-field|select-field|time-fields|use-form)\.tsx$/;
const parts = /node_modules|apps\/web\/(ui|app|api|session)\//;

/** Runs under Bun, which imports the contract's TypeScript directly. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), routeTable(), portalTexts(), portalPage()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // These support light-dark(); the fallback for older browsers ignores the chosen theme.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The content security policy allows no inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // By default, every module that two pages share becomes its own file: a hundred files for a first visit, and a
    // tenth more bytes, because small files compress badly.
    rolldownOptions: {
      input: ["index.html", "portal.html"].map((name) => join(import.meta.dirname, name)),
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: bothNeed, priority: 3 },
            { name: "frame", test: everyPageNeeds, priority: 2 },
            {
              name: "parts",
              test: (id: string) => parts.test(id) && !choices.test(id) && !rareParts.test(id),
              minShareCount: 20,
              priority: 1,
            },
            { name: "choices", test: choices, priority: 0 },
            { name: "fields", test: fields, priority: 0 },
            { name: "switches", test: switches, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    port: Number(process.env.WEB_PORT ?? 5173),
    strictPort: true,
    // The server accepts writes only from its own origin: start it with COUNTERSIGN_URL=http://127.0.0.1:5173.
    proxy: { "^/api/(manage|auth|portal|v1)/": process.env.WEB_TARGET ?? "http://127.0.0.1:3000" },
  },
  logLevel: "warn",
});

/** The method, path and group of each route, from the contract. The browser does not need the schemas. */
function routeTable(): Plugin {
  type Places = readonly { id: string; method: string; path: string }[];
  const placesOf = (routes: Places) =>
    Object.fromEntries(routes.map(({ id, method, path }) => [id, `${method} ${path}`]));
  const places = (routes: Places) => JSON.stringify(placesOf(routes));
  const byGroup = JSON.stringify(
    Object.fromEntries(
      [...Map.groupBy(contractRoutes, ({ group }) => group)].map(([group, routes]) => [
        group,
        placesOf(routes),
      ]),
    ),
  );
  return virtualModules("countersign-routes", {
    // By group, because IDs written twice would be a kilobyte more.
    "virtual:routes": () =>
      `const byGroup = Object.entries(${byGroup});
       export const manage = Object.assign({}, ...byGroup.map(([, routes]) => routes));
       export const groups = new Map(byGroup.flatMap(([group, routes]) => Object.keys(routes).map((id) => [id, group])));
       export const auth = ${places(authRoutes)};`,
    // A module of its own: the dashboard does not call these, and the portal calls no others.
    "virtual:portal-routes": () => `export const portal = ${places(portalRoutes)};`,
  });
}

/** The portal's texts, one module per language. */
function portalTexts(): Plugin {
  return virtualModules(
    "countersign-portal-texts",
    Object.fromEntries(
      Object.keys(languages).map((language) => [
        `virtual:portal-words/${language}`,
        (watch) => {
          for (const file of Object.values(portalWordFiles(language))) watch(file);
          return `export const words = ${JSON.stringify(portalWords(language))};`;
        },
      ]),
    ),
  );
}

/** Modules that are generated. `watch` names a file that they are generated from. */
function virtualModules(
  name: string,
  modules: Readonly<Record<string, (watch: (file: string) => void) => string>>,
): Plugin {
  return {
    name,
    resolveId: (id) => (id in modules ? `\0${id}` : null),
    load(id) {
      return modules[id.slice(1)]?.((file) => this.addWatchFile(file)) ?? null;
    },
  };
}

/** In development: the portal's page for every path below `/portal`, as the server does it. */
function portalPage(): Plugin {
  return {
    name: "countersign-portal",
    apply: "serve",
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _, next) => {
        const isPage = request.headers.accept?.includes("text/html") ?? false;
        if (isPage && /^\/portal(?=[/?]|$)/.test(request.url ?? "")) request.url = "/portal.html";
        next();
      });
    },
    transformIndexHtml: (html) => html.replace("%BASE%", "/portal"),
  };
}
