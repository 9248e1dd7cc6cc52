import { authRoutes } from "@countersign/contract/auth/routes";
import { contractRoutes } from "@countersign/contract/manage/routes";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const everyPageNeeds =
  /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|@tanstack\/.*)\//;

/** Runs under Bun, which reads the contract as it is. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), routeTable()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // These know light-dark() themselves; what stands in for it in older ones does not know which theme was chosen.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // Nothing is put into the page itself: the policy that the server sends would refuse it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // Left to itself, every part that two pages share becomes a file of its own: a hundred of them for a first visit,
    // and a tenth more to load, because small files pack badly.
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
    // The server takes writes only from its own address: start it with COUNTERSIGN_URL=http://127.0.0.1:5173.
    proxy: { "^/api/(manage|auth|v1)/": process.env.WEB_TARGET ?? "http://127.0.0.1:3000" },
  },
  logLevel: "warn",
});

/**
 * Where each route is, from the contract, as a few words each: the browser needs its method and its path, and not the
 * rules that the server holds every request against.
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
