import type { getSessionFromCtx } from "better-auth/api";

/** What the library knows of a request before one of its endpoints begins. */
export type HookContext = Parameters<typeof getSessionFromCtx>[0];
