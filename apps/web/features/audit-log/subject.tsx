import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { plainWords } from "./actions.ts";
import type { Entry } from "./field-changes.ts";

/** The subject of an entry, as a link if it has a page that the user can see. */
export function Subject({ subject, action }: { subject: Entry["subject"]; action: string }) {
  const { t } = useTranslation("audit-log");
  const { slug } = useOrganization();
  const may = useMay();
  const kind = t(`subjects.${subject.kind}`, { defaultValue: plainWords(subject.kind) });
  const name = subject.name ?? kind;
  const page = action.endsWith(".deleted") ? null : pageOf(subject, may);
  if (page === null) return <>{name}</>;
  return (
    <GoLink to={`/o/${slug}/${page}`} inherit aria-label={`${kind} ${name}`}>
      {name}
    </GoLink>
  );
}

function pageOf({ kind, id }: Entry["subject"], may: ReturnType<typeof useMay>): string | null {
  switch (kind) {
    case "license":
      return may("licenses:view") ? `licenses/${id}` : null;
    case "product":
      return may("products:view", "products:manage") ? `products/${id}` : null;
    case "customer":
      return may("customers:view", "customers:manage") ? `customers/${id}` : null;
    case "webhook":
      return may("webhooks:view", "webhooks:manage") ? `webhooks/${id}` : null;
    case "member":
    case "invitation":
      return may("members:view") ? "members" : null;
    case "role":
      return may("members:view", "roles:edit") ? "roles" : null;
    case "access_token":
      return may("organization:manage") ? "access-tokens" : null;
    default:
      return null;
  }
}
