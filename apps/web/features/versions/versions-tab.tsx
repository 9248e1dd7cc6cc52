import { parseVersionRecord, VersionCatalog } from "@countersign/domain/versions/catalog";
import { parseVersion } from "@countersign/domain/versions/version";
import { Alert, Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { mayOpen } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { effectivePlan, planName, usePlans, versionChecksOf } from "../../session/plan.ts";
import { Empty } from "../../ui/empty.tsx";
import { Form } from "../../ui/form.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { checksVersions } from "../products/frame/consequence.ts";
import { useProduct } from "../products/frame/use-product.ts";
import type { ProductVersion } from "../products/frame/use-versions.ts";
import { states, useVersions, type VersionState } from "../products/frame/use-versions.ts";
import { ChoiceSetting, SwitchSetting } from "../products/settings/setting-kinds.tsx";
import { TryChange } from "../shadow/try-change.tsx";
import classes from "./add-version.module.css";
import { ReplaceVersions } from "./replace-versions.tsx";
import { Timeline } from "./timeline.tsx";

/** Which versions of an app are allowed, and how others are handled. */
export function VersionsTab() {
  const { t } = useTranslation("versions");
  const product = useProduct();
  const organization = useOrganization();
  const plans = usePlans();
  const versionChecks = versionChecksOf(organization, plans);
  const plan = planName(plans, effectivePlan(organization));
  const mayManage = useMay()("products:manage");
  const { versions, revision, isPending, isWhole, error } = useVersions(product.id);
  const [isReplacing, setReplacing] = useState(false);
  const common = { product, isFixed: !mayManage };
  const refusesAll =
    checksVersions(product, { versionChecks }) &&
    isWhole &&
    versions.every(({ state }) => state === "blocked");
  return (
    <>
      <Panel
        title={t("enforcement.title")}
        lead={t("enforcement.words")}
        actions={<TryChange change="block_version" />}
      >
        {versionChecks !== "included" && (product.version_module_enabled || versionChecks !== "off") && (
          <Alert color="orange" icon={<Icon name="info" />}>
            {versionChecks === "off"
              ? t("enforcement.off", { plan })
              : t(
                  `products:versionChecks.${product.version_module_enabled ? versionChecks : "unavailable"}`,
                  {
                    plan,
                  },
                )}{" "}
            {mayOpen(organization, "settings/billing") && (
              <GoLink to={paths.billing(organization.slug)} inherit underline="always">
                {t("everywhere:openBilling")}
              </GoLink>
            )}
          </Alert>
        )}
        {refusesAll && (
          <Alert color="orange" icon={<Icon name="warning" />}>
            {t("enforcement.rejectsAll")}
          </Alert>
        )}
        <div>
          <SwitchSetting name="version_module_enabled" {...common} />
          <ChoiceSetting name="version_enforcement" choices={["enforce", "report"]} {...common} />
        </div>
      </Panel>
      <Panel
        title={t("title")}
        lead={t("lead")}
        actions={
          mayManage &&
          isWhole && (
            <Button variant="default" onClick={() => setReplacing(true)}>
              {t("replace.open")}
            </Button>
          )
        }
      >
        <ValidateHelp about="versionList" />
        {mayManage && <AddVersion productId={product.id} />}
        <ProblemAlert error={error} />
        {isPending && (
          <Stack gap="sm" aria-hidden="true">
            {[0, 1, 2, 3].map((line) => (
              <Skeleton key={line} height={34} />
            ))}
          </Stack>
        )}
        {isWhole && versions.length === 0 ? (
          <Empty icon="product" title={t("empty.title")}>
            {t("empty.words")}
          </Empty>
        ) : (
          <Timeline product={product} versions={versions} mayManage={mayManage} />
        )}
      </Panel>
      {isWhole && versions.length > 0 && <TryVersion versions={versions} />}
      <ReplaceVersions
        productId={product.id}
        versions={versions}
        revision={revision}
        opened={isReplacing}
        onClose={() => setReplacing(false)}
      />
    </>
  );
}

/** Applies the server's rule in the browser. */
function TryVersion({ versions }: { versions: readonly ProductVersion[] }) {
  const { t } = useTranslation("versions");
  const [text, setText] = useState("");
  const catalog = useMemo(() => VersionCatalog.from(versions), [versions]);
  const written = text.trim();
  const version = parseVersion(written);
  const verdict = version === null ? "unreadable" : catalog.stateOf(version);
  return (
    <Panel title={t("try.title")} lead={t("try.words")}>
      <Group gap="md">
        <TextInput
          aria-label={t("try.title")}
          placeholder="2.1.7"
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Text role="status" flex={1} miw="12rem">
          {written !== "" && t(`try.verdict.${verdict}`, { version: written })}
        </Text>
      </Group>
    </Panel>
  );
}

function AddVersion({ productId }: { productId: string }) {
  const { t } = useTranslation("versions");
  const [version, setVersion] = useState("");
  const [state, setState] = useState<VersionState>("allowed");
  const add = useChange("addVersion");
  const remove = useChange("deleteVersion");
  const written = version.trim();
  const isUnreadable = written !== "" && parseVersionRecord(written) === null;
  const submit = async () => {
    const added = await add
      .mutateAsync({ params: { product_id: productId }, body: { version: written, state } })
      .catch(() => null);
    if (added === null) return;
    setVersion("");
    setState("allowed");
    notify(t("added", { version: added.version }), () =>
      remove.mutateAsync({ params: { product_id: productId, version: added.version } }),
    );
  };
  return (
    <Form onSubmit={submit} typed={version} base="" error={add.error} className={classes.form}>
      <TextInput
        className={classes.version ?? ""}
        label={t("version")}
        description={t("versionHint")}
        placeholder="2.1.3"
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={version}
        onChange={(event) => {
          setVersion(event.currentTarget.value);
          if (add.error !== null) add.reset();
        }}
        data-unreadable={isUnreadable || undefined}
        required
        withAsterisk={false}
        error={isUnreadable ? t("unreadable") : fieldError(add.error, "version")}
      />
      <NativeSelect
        label={t("state")}
        description={t(`description.${state}`)}
        value={state}
        onChange={(event) => setState(event.currentTarget.value as VersionState)}
        data={states.map((value) => ({ value, label: t(`states.${value}`) }))}
      />
      <Button type="submit" loading={add.isPending} disabled={written === "" || isUnreadable}>
        {t("add")}
      </Button>
      <div className={classes.problem}>
        <ProblemAlert error={add.error} beside={["version"]} />
      </div>
    </Form>
  );
}
