import { plugin } from "bun";

// What the build of the dashboard generates. Tests in process call no routes, but import modules that do.
plugin({
  name: "virtual-routes",
  setup: (build) => {
    build.module("virtual:routes", () => ({
      exports: { manage: {}, groups: new Map(), auth: {} },
      loader: "object",
    }));
  },
});
