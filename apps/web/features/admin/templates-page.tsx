import { Group, SegmentedControl, Select, Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { type Language, languages } from "../../i18n/languages.ts";
import { paths } from "../../session/paths.ts";
import { Page } from "../../ui/page.tsx";
import classes from "./admin.module.css";
import { EmailFrame } from "./email-frame.tsx";

const templatesRoute = getRouteApi("/signed-in/admin/admin-layout/email-templates");

/** Every kind of email with example values, in each language. */
export function TemplatesPage() {
  const { t, i18n } = useTranslation("admin");
  const search = templatesRoute.useSearch();
  const navigate = templatesRoute.useNavigate();
  const { kinds } = useSuspenseQuery(ask("listEmailTemplates")).data;
  const kind = kinds.find((one) => one === search.kind) ?? kinds[0] ?? "";
  const language: Language = search.language ?? (i18n.language as Language);
  const format = search.as ?? "html";
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page title={t("emailTemplates.title")} lead={t("emailTemplates.lead")}>
      <div className={classes.split}>
        <nav aria-label={t("outbox.kind")}>
          <ul className={classes.kinds}>
            {kinds.map((one) => (
              <li key={one}>
                <Link
                  className={classes.kind ?? ""}
                  {...paths.emailTemplates({ ...search, kind: one })}
                  aria-current={one === kind ? "page" : undefined}
                  activeProps={{}}
                  replace
                >
                  {t(`kinds.${one}`)}
                </Link>
              </li>
            ))}
          </ul>
          <Select
            className={classes.onlyNarrow ?? ""}
            label={t("outbox.kind")}
            data={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
            value={kind}
            onChange={(value) => set({ kind: value ?? undefined })}
            allowDeselect={false}
          />
        </nav>
        <Stack gap="sm" miw={0}>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label={t("emailTemplates.language")}
              value={language}
              onChange={(value) => set({ language: value as Language })}
              data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            />
            <SegmentedControl
              size="xs"
              aria-label={t("emailTemplates.format")}
              value={format}
              onChange={(value) => set({ as: value === "text" ? "text" : undefined })}
              data={[
                { value: "html", label: t("emailTemplates.html") },
                { value: "text", label: t("emailTemplates.text") },
              ]}
            />
          </Group>
          <EmailFrame
            src={urlOf("getEmailTemplate", { params: { kind }, query: { language, format } })}
            title={`${t(`kinds.${kind}`)}, ${languages[language]}`}
          />
        </Stack>
      </div>
    </Page>
  );
}
