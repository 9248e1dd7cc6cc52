import { Loader, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, queryClient } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { termOf } from "../../ui/search-term.ts";
import { noFilters } from "./filters.ts";
import { pasted } from "./pasted.ts";
import classes from "./requests.module.css";
import { useFilterChange } from "./requests-route.ts";

/** Takes what a customer or an SDK reports: a request ID opens the request, anything else filters the list. */
export function FindBox() {
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
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 422)) return null;
    throw error;
  }
}
