import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { TimeRange } from "../../ui/time-range.tsx";
import { FilterDrawer, RefusedChoice } from "./filter-drawer.tsx";
import { FindBox } from "./find-box.tsx";
import classes from "./requests.module.css";
import { useFilterChange } from "./requests-route.ts";
import type { RequestFilters } from "./search.ts";

/** The search box and the most common filters; the others are in a drawer. */
export function FilterBar({ filters }: { filters: RequestFilters }) {
  const { t } = useTranslation("requests");
  const change = useFilterChange();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.bar}>
      <FindBox />
      <div className={classes.choices}>
        <RefusedChoice value={filters.refused} onChange={(refused) => change({ refused })} />
        <TimeRange
          from={filters.from}
          to={filters.to}
          onChange={(range) => change({ ...range, live: undefined }, { replace: true })}
        />
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={15} />}
          onClick={() => setOpen(true)}
        >
          {t("filters.more")}
        </Button>
      </div>
      <FilterDrawer filters={filters} opened={isOpen} onClose={() => setOpen(false)} />
    </div>
  );
}
