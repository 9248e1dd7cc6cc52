import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Section } from "../../../ui/section.tsx";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";

/** Notes, metadata and the custom response of a license. */
export function NotesAndData({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { notes, metadata, custom_override: override } = license;
  if (notes === null && metadata === null && override === null) return null;
  return (
    <Section title={t("notesAndData")}>
      <Stack gap="md">
        {notes !== null && (
          <div>
            <Text c="dimmed" size="xs">
              {t("fields.notes")}
            </Text>
            <Text className={classes.notes ?? ""}>{notes}</Text>
          </div>
        )}
        {metadata !== null && <Json name={t("fields.metadata")} value={metadata} />}
        {override !== null && <Json name={t("fields.custom_override")} value={override} />}
      </Stack>
    </Section>
  );
}

function Json({ name, value }: { name: string; value: object }) {
  return (
    <div>
      <Text c="dimmed" size="xs" mb={4}>
        {name}
      </Text>
      <pre className={classes.code}>{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}
