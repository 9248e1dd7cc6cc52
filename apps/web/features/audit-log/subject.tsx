import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import type { PageLink } from "../../ui/page-link.ts";
import { plainWords } from "./actions.ts";
import type { Entry } from "./field-changes.ts";

/** The subject of an entry, as a link if it has a page that the user can see. */
export function Subject({ subject, action }: { subject: Entry["subject"]; action: string }) {
  const { t } = useTranslation("audit-log");
  const { slug } = useOrganization();
  const may = useMay();
  const kind = t(`subjects.${subject.kind}`, { defaultValue: plainWords(subject.kind) });
  const name = subject.name ?? kind;
  const page = action.endsWith(".deleted") ? null : pageOf(subject, slug, may);
  if (page === null) return <>{name}</>;
  return (
    <GoLink to={page} inherit aria-label={`${kind} ${name}`}>
      {name}
    </GoLink>
  );
}

function pageOf(
  { kind, id }: Entry["subject"],
  slug: string,
  may: ReturnType<typeof useMay>,
): PageLink | null {
  switch (kind) {
    case "license":
      return may("licenses:view") ? paths.license(slug, id) : null;
    case "product":
      return may("products:view", "products:manage") ? paths.product(slug, id) : null;
    case "customer":
      return may("customers:view", "customers:manage") ? paths.customer(slug, id) : null;
    case "webhook":
      return may("webhooks:view", "webhooks:manage") ? paths.webhook(slug, id) : null;
    case "member":
    case "invitation":
      return may("members:view") ? paths.members(slug) : null;
    case "role":
      return may("members:view", "roles:edit") ? paths.roles(slug) : null;
    case "access_token":
      return may("organization:manage") ? paths.accessTokens(slug) : null;
    default:
      return null;
  }
}
