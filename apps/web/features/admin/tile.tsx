import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PageLink } from "../../ui/page-link.ts";
import classes from "./admin.module.css";

/** One figure, with a link to its page if there is one. */
export function Tile({ label, to, children }: { label: string; to?: PageLink; children: ReactNode }) {
  const words = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={classes.figure}>{children}</div>
    </>
  );
  return to === undefined ? (
    <div className={classes.tile}>{words}</div>
  ) : (
    <Link className={classes.tile ?? ""} {...to}>
      {words}
    </Link>
  );
}
