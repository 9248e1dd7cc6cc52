import { useState } from "react";
import type { Seller } from "../base/api.ts";
import classes from "./seller-mark.module.css";

interface SellerMarkProps {
  readonly seller: Pick<Seller, "name" | "logo_url">;
  readonly isLarge?: boolean;
}

/** A seller's logo, or the first letter of its name. Its name is beside it, so it needs no description. */
export function SellerMark({ seller, isLarge = false }: SellerMarkProps) {
  const [isBroken, setBroken] = useState(false);
  const logo = seller.logo_url;
  if (logo === null || !/^\/(?!\/)/.test(logo) || isBroken)
    return (
      <span className={classes.letter} data-large={isLarge || undefined} aria-hidden="true">
        {[...seller.name.trim()][0]?.toUpperCase() ?? "?"}
      </span>
    );
  return (
    <span className={classes.frame} data-large={isLarge || undefined}>
      <img src={logo} alt="" className={classes.logo} onError={() => setBroken(true)} />
    </span>
  );
}
