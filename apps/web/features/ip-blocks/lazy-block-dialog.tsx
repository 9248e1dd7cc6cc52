import { onDemand } from "../../ui/on-demand.tsx";

/** Loaded on demand: most visits to the pages that offer it do not block anything. */
export const LazyBlockDialog = onDemand(() => import("./block-dialog.tsx").then((file) => file.BlockDialog));
