import { Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PageLink } from "./page-link.ts";

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
