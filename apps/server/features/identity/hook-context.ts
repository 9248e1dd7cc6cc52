import type { getSessionFromCtx } from "better-auth/api";

/** What the library knows of a request before one of its endpoints runs. */
export type HookContext = Parameters<typeof getSessionFromCtx>[0];
