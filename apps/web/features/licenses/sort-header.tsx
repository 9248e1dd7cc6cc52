import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import classes from "./license-table.module.css";
import { licensesRoute, useFilterChange } from "./list-route.ts";
import type { Sort } from "./search.ts";

interface SortHeaderProps {
  readonly by: Sort;
  /** The order after the first click. */
  readonly first: "asc" | "desc";
  readonly className: string | undefined;
  readonly children: ReactNode;
}

export function SortHeader({ by, first, className, children }: SortHeaderProps) {
  const { sort = "created_at", order = "desc" } = licensesRoute.useSearch();
  const change = useFilterChange();
  const isOn = sort === by;
  const turn = () => {
    const next = !isOn ? first : order === "asc" ? "desc" : "asc";
    // The default order is omitted from the URL.
    const isUsual = by === "created_at" && next === "desc";
    change({ sort: isUsual ? undefined : by, order: isUsual ? undefined : next });
  };
  return (
    <th
      data-wide
      className={className}
      aria-sort={isOn ? (order === "asc" ? "ascending" : "descending") : "none"}
    >
      <UnstyledButton className={classes.sort ?? ""} onClick={turn}>
        {children}
        <span
          className={classes.arrow}
          data-on={isOn || undefined}
          data-up={(isOn && order === "asc") || undefined}
        >
          <Icon name="down" size={13} />
        </span>
      </UnstyledButton>
    </th>
  );
}
