import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PageLink } from "./page-link.ts";

interface GoLinkProps extends AnchorProps {
  readonly to: PageLink;
  /** The whole text, if it is cut off. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** A link that opens another page without reloading the dashboard. */
export function GoLink({ to, children, ...look }: GoLinkProps) {
  return (
    <Anchor {...look} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  );
}
