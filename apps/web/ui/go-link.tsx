import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface GoLinkProps extends AnchorProps {
  /** A path inside the dashboard, as text, for pages that do not import each other's routes. */
  readonly to: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** The whole text, if it is cut off. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** A link that opens another page without reloading the dashboard. */
export function GoLink({ to, search, children, ...look }: GoLinkProps) {
  return (
    <Anchor
      {...look}
      renderRoot={(props) => (
        <Link {...props} to={to as "/"} {...(search === undefined ? {} : { search: search as never })} />
      )}
    >
      {children}
    </Anchor>
  );
}
