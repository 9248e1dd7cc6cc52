import type { LinkOptions } from "@tanstack/react-router";

/** A page of the dashboard with its parameters, as `paths` makes it and links and `navigate` take it. */
export type PageLink = Pick<LinkOptions, "to" | "params" | "search">;
