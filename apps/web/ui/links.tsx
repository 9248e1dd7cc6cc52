import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { Link, type LinkOptions } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import classes from "./links.module.css";

/** A page of the dashboard with its parameters, as `paths` makes it and links and `navigate` take it. */
export type PageLink = Pick<LinkOptions, "to" | "params" | "search">;

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

interface GoButtonProps extends ButtonProps {
  readonly to: PageLink;
  readonly children: ReactNode;
}

/** The same as `GoLink`, with the look of a button. */
export function GoButton({ to, children, ...look }: GoButtonProps) {
  return (
    <Button {...look} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Button>
  );
}

/** A link back to the list. */
export function Back({ to, children }: { to: PageLink; children: string }) {
  return (
    <GoLink to={to} size="sm" c="dimmed" className={classes.back ?? ""}>
      <Icon name="left" size={14} />
      {children}
    </GoLink>
  );
}
