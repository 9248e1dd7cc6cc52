import { Box, Button, Group, Menu, Popover, Stack, TextInput } from "@mantine/core";
import { useDidUpdate } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useProducts } from "../../session/products.ts";
import { ChipList, FilterSelect, useWhenSettled } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notifyProblem } from "../../ui/notify.tsx";
import { prefetchOnHover } from "../../ui/on-demand.tsx";
import { minTermLength } from "../../ui/search-term.ts";
import classes from "./filter-bar.module.css";
import {
  type FilterName,
  filterNames,
  isFiltered,
  type LicenseSearch,
  licensesRoute,
  queryOf,
  statuses,
  useFilterChange,
} from "./search.ts";

/** Search while typing, filters, and an export of the results. */
export function FilterBar({ tags }: { tags: readonly string[] }) {
  const may = useMay();
  const search = licensesRoute.useSearch();
  return (
    <div className={classes.bar}>
      <SearchField />
      <div className={classes.choices}>
        <StatusAndProduct />
      </div>
      <Group gap="xs" wrap="nowrap">
        <FilterPanel tags={tags} />
        {may("licenses:export") && <ExportMenu search={search} />}
      </Group>
    </div>
  );
}

const loadFilters = () => import("./more-filters.tsx");

/** Opens after its fields have loaded, so that they can receive focus. */
function FilterPanel({ tags }: { tags: readonly string[] }) {
  const { t } = useTranslation("licenses");
  const [fields, setFields] = useState<Awaited<ReturnType<typeof loadFilters>> | null>(null);
  const [isOpen, setOpen] = useState(false);
  const turn = (on: boolean) => {
    if (!on || fields !== null) return setOpen(on);
    loadFilters().then((file) => {
      setFields(file);
      setOpen(true);
    }, notifyProblem);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={turn}
      position="bottom-end"
      width={320}
      shadow="md"
      trapFocus
      returnFocus
      withinPortal
      // Escape would close the panel before an open dropdown inside it.
      closeOnEscape={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={15} />}
          onClick={() => turn(!isOpen)}
          {...prefetchOnHover(loadFilters)}
        >
          {t("filters.more")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown
        onKeyDown={(event) => {
          const hasList = (event.target as HTMLElement).getAttribute("aria-expanded") === "true";
          if (event.key === "Escape" && !hasList) setOpen(false);
        }}
      >
        <Stack gap="sm">
          <Stack gap="sm" hiddenFrom="sm">
            <StatusAndProduct withLabels />
          </Stack>
          {fields !== null && <fields.MoreFilters tags={tags} />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** In the bar on wide screens, in the panel on narrow ones. */
function StatusAndProduct({ withLabels = false }: { withLabels?: boolean }) {
  const { t } = useTranslation("licenses");
  const search = licensesRoute.useSearch();
  const change = useFilterChange();
  const products = useProducts();
  const look = { isLabelShown: withLabels, comboboxProps: { withinPortal: !withLabels } };
  return (
    <>
      <FilterSelect
        {...look}
        label={t("filters.status")}
        any={t("filters.anyStatus")}
        values={statuses}
        words={(status) => t(`licenseStatus.${status}`, { ns: "everywhere" })}
        value={search.status}
        onChange={(status) => change({ status })}
      />
      {products.data !== undefined && products.data.length > 1 && (
        <FilterSelect
          {...look}
          searchable
          label={t("filters.product_id")}
          any={t("filters.anyProduct")}
          values={products.data.map(({ id }) => id)}
          words={(productId) => products.data.find(({ id }) => id === productId)?.name ?? productId}
          value={search.product_id}
          onChange={(productId) => change({ product_id: productId })}
        />
      )}
    </>
  );
}

function SearchField() {
  const { t } = useTranslation("licenses");
  const { q = "" } = licensesRoute.useSearch();
  const change = useFilterChange();
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const settle = useWhenSettled((term: string) => {
    sent.current = term;
    change({ q: term === "" ? undefined : term }, { replace: true });
  });
  // Follows a view or the back button, but does not overwrite text that is being typed.
  useDidUpdate(() => {
    if (q !== sent.current) setTyped(q);
    sent.current = q;
  }, [q]);
  const length = [...typed.trim()].length;
  return (
    <TextInput
      className={classes.search ?? ""}
      type="search"
      aria-label={t("search.label")}
      placeholder={t("search.placeholder")}
      leftSection={<Icon name="search" size={15} />}
      value={typed}
      maxLength={100}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-license-row] a")?.focus();
      }}
      description={length > 0 && length < minTermLength ? t("search.tooShort") : undefined}
      inputWrapperOrder={["label", "input", "description"]}
    />
  );
}

function ExportMenu({ search }: { search: LicenseSearch }) {
  const { t } = useTranslation("licenses");
  const organization = useOrganization();
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />}>
          {t("export.open")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(isFiltered(search) ? "export.filtered" : "export.all")}</Menu.Label>
        {(["csv", "jsonl"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            download
            href={urlOf("exportLicenses", {
              params: { organization_id: organization.id },
              query: { ...queryOf(search), format },
            })}
          >
            {t(`export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The active filters, each with a button to remove it. */
export function FilterChips() {
  const { t } = useTranslation("licenses");
  const search = licensesRoute.useSearch();
  const change = useFilterChange();
  const textOf = useFilterTexts(search);
  const active = filterNames.filter((name) => search[name] !== undefined);
  return (
    <Box mb={active.length === 0 ? 0 : "sm"}>
      <ChipList
        label={t("filters.active")}
        names={active}
        textOf={textOf}
        removeLabel={(filter) => t("filters.remove", { filter })}
        onRemove={(name) => change({ [name]: undefined })}
        clearLabel={t("filters.clear")}
        onClear={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
      />
    </Box>
  );
}

function useFilterTexts(search: LicenseSearch): (name: FilterName) => string {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const organization = useOrganization();
  const products = useProducts();
  const customer = useQuery({
    ...ask("getCustomer", {
      params: { organization_id: organization.id, customer_id: search.customer_id ?? "" },
    }),
    enabled: search.customer_id !== undefined && may("customers:view", "customers:manage"),
  });
  return (name) => {
    switch (name) {
      case "status":
        return t(`licenseStatus.${search.status}`, { ns: "everywhere" });
      case "product_id":
        return products.data?.find(({ id }) => id === search.product_id)?.name ?? t("filters.product_id");
      case "customer_id":
        return t("chips.customer", {
          name: customer.data?.email ?? customer.data?.name ?? customer.data?.discord_id ?? "…",
        });
      case "expires_within_days":
        return t("chips.expiresWithin", { count: search.expires_within_days ?? 0 });
      case "never_used":
        return t(search.never_used ? "chips.neverUsed" : "chips.used");
      case "min_ips":
        return t("chips.minIps", { count: search.min_ips ?? 0 });
      case "tag":
        return t("chips.tag", { tag: search.tag });
      case "has_notes":
        return t(search.has_notes ? "chips.hasNotes" : "chips.noNotes");
    }
  };
}
