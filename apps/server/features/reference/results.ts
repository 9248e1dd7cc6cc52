import { type ValidateStatus, validateStatuses } from "@countersign/domain/validate/status";
import { type Html, html, prose } from "./html.ts";

/** When validate returns each status. The dashboard links to these rows and to the topics below. */
const reasons: Readonly<Record<ValidateStatus, string>> = {
  invalid_api_key: "The `Authorization` header is missing, or its API key is wrong. HTTP 401, not counted.",
  rate_limit_exceeded:
    "The product has used its daily limit. HTTP 429 until midnight UTC; `retry_after` says how long that is.",
  product_not_found: "The product of this API key was deleted.",
  org_suspended: "The organization is suspended.",
  billing_suspended: "The organization's billing is suspended.",
  product_archived: "The product is archived.",
  product_disabled: "The product is disabled.",
  license_not_found: "The product has no license with this key, or the body could not be read.",
  revoked: "The license was revoked.",
  expired: "The license has expired, and the product enforces expiry.",
  ip_blocked: "The calling IP address is on a block list of the server, organization, customer or license.",
  ip_not_registered: "The calling IP address is not registered, and this request cannot register it.",
  ip_limit_reached: "The license has registered as many IP addresses as its IP limit allows.",
  version_not_allowed: "The version that was sent is not allowed, and the product rejects such versions.",
  active: "The license is valid and every check passed. The only status with `valid` true.",
};

interface Topic {
  readonly id: string;
  readonly title: string;
  readonly sentences: readonly string[];
}

const topics: readonly Topic[] = [
  {
    id: "topic-ip-limit",
    title: "IP limit",
    sentences: [
      "A license with `ip_system_enabled` can be used from at most `max_ips` IP addresses. `ip_count` says how many are registered.",
      "With `auto_register_ip_on_validate`, a new IP address is registered by the request it makes and `ip_registered` is true; `auto_register_scope` chooses between every new one up to the limit (`until_limit`) and the first one only (`first_only`). Otherwise it gets `ip_not_registered` until you register it.",
      "Once the limit is reached, any other IP address gets `ip_limit_reached`.",
      "With `track_ip_on_validate` off, no IP address is stored or limited and `ip_registered`, `ip_count` and `max_ips` are null. Blocks apply in any case.",
      "An IPv6 caller counts as its /64 network, or as a single address where `ipv6_prefix` is 128.",
    ],
  },
  {
    id: "topic-ip-blocks",
    title: "IP blocks",
    sentences: [
      "A request from a blocked IP address or network gets `ip_blocked`, even where the IP address is registered or the license has no IP limit.",
      "The lists of the server, the organization, the customer and the license all apply. A block with an end date stops applying at that time.",
    ],
  },
  {
    id: "topic-expiry",
    title: "Expiry",
    sentences: [
      "From its `expires_at` on, a license gets `expired`. With `expiry_enforcement` off it stays valid; `expires` still says when it ended.",
      "`expires` is null for a lifetime license.",
    ],
  },
  {
    id: "topic-revoked",
    title: "Revoked licenses",
    sentences: [
      "A revoked license gets `revoked` from the next request on, until it is reinstated. Revoking wins over expiry.",
    ],
  },
  {
    id: "topic-versions",
    title: "Version checks",
    sentences: [
      "With `version_module_enabled`, the `version` that an app sends is checked against the product's version list. A version that is blocked or not listed makes `version_valid` false.",
      "A license can be pinned to one version or to a range, which only narrows what the product allows.",
      "With `version_enforcement` set to `enforce`, a version that is not allowed gets `version_not_allowed`. With `report`, the license stays valid and only `version_valid` is false.",
      "An app that sends no version is not rejected; `version_valid` is then null.",
    ],
  },
  {
    id: "topic-signing",
    title: "Signed responses",
    sentences: [
      "`signature` is set when `signed_validation` is on for both the product and its organization; otherwise it is null. Every response with HTTP 200 is signed, refusals too.",
      "An app that requires a signature rejects unsigned responses, so turn signing off only after such apps are gone.",
    ],
  },
  {
    id: "topic-custom-response",
    title: "Custom response",
    sentences: [
      "With `custom_response_enabled`, `custom` holds the product's template, changed by the license's own override and with its placeholders filled in. Otherwise it is null.",
      "It is sent with valid responses, and with refusals only where `custom_response_on_refusal` is on.",
    ],
  },
  {
    id: "topic-daily-limit",
    title: "Daily limit",
    sentences: [
      "Every request with a valid API key counts, whatever its result. Once the product's limit for the day is reached, requests get HTTP 429 with `rate_limit_exceeded` until midnight UTC.",
      "All API keys of a product share one counter.",
    ],
  },
  {
    id: "topic-product-status",
    title: "Disabled and archived products",
    sentences: [
      "Every validation of a disabled product gets `product_disabled`, of an archived one `product_archived`, of a deleted one `product_not_found`, whatever the license.",
    ],
  },
];

/** What validate returns, and which settings affect it. */
export function resultsSection(): Html {
  return html`<section class="group" aria-labelledby="group-results">
    <h2 id="group-results">Validation results</h2>
    <p>The response has the first status in this list that applies. Grant access only when <code>valid</code> is true.</p>
    <table>${validateStatuses.map(
      (status) => html`<tr id="result-${status}">
        <th scope="row"><code>${status}</code></th>
        <td>${prose(reasons[status])}</td>
      </tr>`,
    )}</table>
    ${topics.map(
      ({ id, title, sentences }) => html`<article id="${id}">
      <h3>${title} <a class="anchor" href="#${id}" aria-label="Link to this">#</a></h3>
      ${sentences.map((sentence) => html`<p>${prose(sentence)}</p>`)}
    </article>`,
    )}
  </section>`;
}

/** For the table of contents. */
export function resultsContents(): Html {
  return html`<details open><summary>Validation results</summary><ul>
    <li><a href="#group-results">Statuses</a></li>
    ${topics.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
  </ul></details>`;
}
