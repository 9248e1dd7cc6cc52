import { Group, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import type { DocsSection } from "../../../ui/docs-sections.ts";
import { DocsLink } from "../../../ui/help.tsx";
import type { Changes } from "../frame/use-product.ts";
import classes from "./setting.module.css";

export type SettingName = Exclude<keyof Changes, "status" | "closed_for_sale" | "custom_response">;

/** The section of the reference about a setting's effect on validate; null without effect. */
const sections: Record<SettingName, DocsSection | null> = {
  name: null,
  track_ip_on_validate: "ipLimit",
  auto_register_ip_on_validate: "ipLimit",
  auto_register_scope: "ipLimit",
  ipv6_prefix: "ipLimit",
  default_ip_system_enabled: "ipLimit",
  default_max_ips: "ipLimit",
  expiry_enforcement: "expiry",
  expiring_soon_days: null,
  default_expires_in_days: "expiry",
  version_module_enabled: "versions",
  version_enforcement: "versions",
  signed_validation: "signing",
  custom_response_enabled: "customResponse",
  custom_response_on_refusal: "customResponse",
  deliver_license_by_email: null,
  license_email_text: null,
  expiring_soon_email: null,
  locale: null,
  portal_enabled: null,
  portal_ip_removals_per_30_days: null,
  portal_key_rotation: null,
  transfers: null,
  transfer_cooldown_days: null,
  transfer_resets_ips: null,
  transfer_rotates_key: null,
  renewal_url: null,
};

/** Links a control to its label and description. */
interface Described {
  readonly "aria-labelledby": string;
  readonly "aria-describedby": string;
}

/** The same for an input with an error: by default, the error would replace the description. */
export function inputDescribed(described: Described, error: string | null) {
  const descriptionId = described["aria-describedby"];
  const errorId = `${descriptionId}-error`;
  return {
    ...described,
    withAria: false,
    errorProps: { id: errorId },
    "aria-describedby": error === null ? descriptionId : `${errorId} ${descriptionId}`,
    "aria-invalid": error !== null,
  };
}

interface SettingProps {
  readonly name: SettingName;
  readonly control: (described: Described) => ReactNode;
  /** Why it has no effect at present, if that is so. */
  readonly noEffect?: string | undefined;
  /** What to watch out for with its present value. */
  readonly caution?: string | undefined;
  readonly kind?: "switch" | "below";
}

/** One setting: what it is called, here and in the API, what its effect is, and the control. */
export function Setting({ name, control, noEffect, caution, kind }: SettingProps) {
  const { t } = useTranslation("products");
  const id = useId();
  const section = sections[name];
  const remark = noEffect ?? caution;
  return (
    <div
      className={classes.setting}
      data-switch={kind === "switch" || undefined}
      data-below={kind === "below" || undefined}
    >
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600} id={`${id}-label`} {...(noEffect === undefined ? {} : { c: "dimmed" })}>
            {t(`setting.${name}.label`)}
          </Text>
          <span className={classes.name}>{name}</span>
        </Group>
        <Text size="sm" c="dimmed" id={`${id}-words`}>
          {t(`setting.${name}.words`)}
          {remark !== undefined && (
            <Text component="span" size="sm" c="var(--mantine-color-text)">
              {" "}
              {remark}
            </Text>
          )}
          {section !== null && (
            <>
              {" "}
              <DocsLink section={section}>{t("everywhere:docs.learnMore")}</DocsLink>
            </>
          )}
        </Text>
      </div>
      {control({ "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-words` })}
    </div>
  );
}
