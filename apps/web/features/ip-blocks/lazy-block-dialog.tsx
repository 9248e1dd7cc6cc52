import { onDemand } from "../../ui/on-demand.tsx";

/** Blocking is rare: the pages that offer it are read far more often. */
export const LazyBlockDialog = onDemand(() => import("./block-dialog.tsx").then((file) => file.BlockDialog));
