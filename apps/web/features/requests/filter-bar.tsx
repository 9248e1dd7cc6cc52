import { Button, Loader, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, queryClient } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { ChipList } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { termOf } from "../../ui/search-term.ts";
import { TimeRange } from "../../ui/time-range.tsx";
import { FilterDrawer, RefusedChoice, useLicenseKey } from "./filter-drawer.tsx";
import { type FilterName, filterNames, noFilters, pasted, useFilterChange } from "./filters.ts";
import classes from "./requests.module.css";
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

const milliseconds = { style: "unit", unit: "millisecond" } as const;

/** Shown elsewhere on the page. */
const visible: readonly FilterName[] = ["refused"];

/** The active filters, each with a button to remove it. */
export function FilterChips({ filters }: { filters: RequestFilters }) {
  const { t } = useTranslation("requests");
  const change = useFilterChange();
  const filterText = useFilterWords(filters);
  const active = filterNames.filter((name) => filters[name] !== undefined && !visible.includes(name));
  return (
    <ChipList
      label={t("filters.active")}
      names={active}
      textOf={filterText}
      removeLabel={(filter) => t("filters.remove", { filter })}
      onRemove={(name) => change({ [name]: undefined })}
      clearLabel={t("filters.clear")}
      onClear={() => change(noFilters)}
    />
  );
}

function useFilterWords(filters: RequestFilters): (name: FilterName) => string {
  const { t, i18n } = useTranslation("requests");
  const products = useProducts();
  const key = useLicenseKey(filters.license_id);
  return (name) => {
    switch (name) {
      case "refused":
        return t(filters.refused ? "filters.refused" : "filters.accepted");
      case "outcome":
        return (filters.outcome ?? []).map((outcome) => t(`outcomes.${outcome}`)).join(", ");
      case "product_id":
        return products.data?.find(({ id }) => id === filters.product_id)?.name ?? t("columns.product");
      case "license_id":
        return t("chips.license", { key: key ?? filters.license_id });
      case "ip":
        return t("chips.ip", { ip: filters.ip });
      case "version":
        return t("chips.version", { version: filters.version });
      case "device_id":
        return t("chips.device", { device: filters.device_id });
      case "problem":
        return t("chips.problem", { problem: filters.problem });
      case "min_duration_ms":
        return t("chips.duration", {
          duration: new Intl.NumberFormat(i18n.language, {
            ...milliseconds,
            maximumFractionDigits: 3,
          }).format(filters.min_duration_ms ?? 0),
        });
      case "endpoint":
        return t(`endpoints.${filters.endpoint}`);
      case "sandbox":
        return t(filters.sandbox ? "chips.onlySandbox" : "chips.noSandbox");
    }
  };
}

/** Takes what a customer or an SDK reports: a request ID opens the request, anything else filters the list. */
function FindBox() {
  const { t } = useTranslation("requests");
  const { id: organizationId, slug } = useOrganization();
  const maySee = useMaySee();
  const navigate = useNavigate();
  const change = useFilterChange();
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const show = (filter: { readonly ip: string } | { readonly license_id: string }) => {
    setText("");
    change({ ...noFilters, ...filter });
  };
  const find = async () => {
    const wanted = pasted(text);
    if (wanted === null) return;
    if (wanted.kind === "ip") return show({ ip: wanted.ip });
    if (wanted.kind === "id") {
      const params = { organization_id: organizationId, request_id: wanted.id };
      const request = await orNull(queryClient.fetchQuery(ask("getRequest", { params })));
      if (request !== null) return void navigate(paths.request(slug, wanted.id));
      const license = maySee("licenses:view")
        ? await orNull(call("getLicense", { params: { license_id: wanted.id } }))
        : null;
      return license === null ? setError(t("find.none")) : show({ license_id: license.id });
    }
    const q = termOf(wanted.key);
    if (q === undefined || !maySee("licenses:view")) return setError(t("find.noKey"));
    const { data } = await call("listLicenses", {
      params: { organization_id: organizationId },
      query: { q: q.slice(0, 100), limit: 10 },
    });
    const same = data.find(({ license_key: key }) => key.toLowerCase() === q.toLowerCase());
    const license = same ?? (data.length === 1 ? data[0] : undefined);
    return license === undefined ? setError(t("find.noKey")) : show({ license_id: license.id });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    setBusy(true);
    await find().catch((problem: Error) => setError(problem.message));
    setBusy(false);
  };
  return (
    // No guarded form: a search saves nothing.
    <form onSubmit={(event) => void submit(event)} className={classes.find}>
      <TextInput
        type="search"
        aria-label={t("find.label")}
        placeholder={t("find.placeholder")}
        leftSection={isBusy ? <Loader size={15} /> : <Icon name="search" size={15} />}
        value={text}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setError(null);
        }}
        error={error}
      />
    </form>
  );
}

/** Null for what does not exist, or what the user cannot see. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 422)) return null;
    throw error;
  }
}
