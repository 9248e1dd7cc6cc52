import { authRoutes } from "@countersign/contract/auth/routes";
import { contractRoutes } from "@countersign/contract/manage/routes";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const everyPageNeeds =
  /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|@tanstack\/.*)\//;

/** Runs under Bun, which imports the contract's TypeScript directly. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), routeTable()],
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
      output: {
        codeSplitting: {
          groups: [
            { name: "frame", test: everyPageNeeds, priority: 2 },
            { name: "parts", test: /node_modules|apps\/web\/(ui|app|api)\//, minShareCount: 15, priority: 1 },
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
    proxy: { "^/api/(manage|auth|v1)/": process.env.WEB_TARGET ?? "http://127.0.0.1:3000" },
  },
  logLevel: "warn",
});

/**
 * The method and path of each route, from the contract. The browser does not need the schemas.
 */
function routeTable(): Plugin {
  const name = "virtual:routes";
  const places = (routes: readonly { id: string; method: string; path: string }[]) =>
    Object.fromEntries(routes.map(({ id, method, path }) => [id, `${method} ${path}`]));
  return {
    name: "countersign-routes",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) =>
      id === `\0${name}`
        ? `export const manage = ${JSON.stringify(places(contractRoutes))};
           export const auth = ${JSON.stringify(places(authRoutes))};`
        : null,
  };
}
