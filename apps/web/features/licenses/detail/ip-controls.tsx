import { Button, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../../api/queries.ts";
import { Form } from "../../../ui/form.tsx";
import { notify, notifyProblem } from "../../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../../ui/problem-alert.tsx";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";

const licenseRoute = getRouteApi("/signed-in/o/$organization/licenses/$licenseId");

/** Registers an IP address, as a validation from it would. */
export function AddIp({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const add = useChange("addLicenseIp");
  const { ip: wanted } = licenseRoute.useSearch();
  const [ip, setIp] = useState(wanted ?? "");
  const field = useRef<HTMLInputElement>(null);
  // A refused request links here with its IP address: only the button is left to press.
  useEffect(() => {
    if (wanted !== undefined) field.current?.focus();
  }, [wanted]);
  const submit = async () => {
    try {
      const added = await add.mutateAsync({ params: { license_id: license.id }, body: { ip } });
      notify(t("ips.added", { ip: added.ip }));
      setIp("");
    } catch {}
  };
  return (
    <>
      <Form onSubmit={submit} typed={ip === wanted ? "" : ip} error={add.error} className={classes.addIp}>
        <TextInput
          ref={field}
          aria-label={t("ips.addLabel")}
          placeholder={t("ips.addLabel")}
          required
          value={ip}
          onChange={(event) => setIp(event.currentTarget.value)}
          error={fieldError(add.error, "ip")}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t("everywhere:add")}
        </Button>
      </Form>
      <ProblemAlert error={add.error} beside={["ip"]} />
    </>
  );
}

/** Switches immediately, and back with the reason if the server rejects it. */
export function LimitSwitch({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const queries = useQueryClient();
  const update = useChange("updateLicense");
  const { queryKey } = ask("getLicense", { params: { license_id: license.id } });
  const turn = async (isOn: boolean) => {
    queries.setQueryData(queryKey, { ...license, ip_system_enabled: isOn });
    try {
      await update.mutateAsync({ params: { license_id: license.id }, body: { ip_system_enabled: isOn } });
    } catch (error) {
      queries.setQueryData(queryKey, license);
      notifyProblem(error);
    }
  };
  return (
    <Switch
      size="sm"
      label={t("fields.ip_system_enabled")}
      checked={license.ip_system_enabled}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  );
}
