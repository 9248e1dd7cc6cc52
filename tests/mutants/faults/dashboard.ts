import { faultsIn } from "../faults-in.ts";

export const dashboard = faultsIn(`
the number above the list of licenses ignores the filter
  A seller who filters by tag or expiry is told the number of all licenses.
  - query: { ...filter, count: "true", limit: 1 }
  + query: { count: "true", limit: 1 }
  tests/browser/licenses.test.ts
the list of licenses is always sorted in descending order
  A seller who sorts by expiry to see what expires next sees what expires last.
  - order: search.order ?? "desc"
  + order: "desc"
  tests/browser/licenses.test.ts
selected licenses stay selected after the filter has changed
  A bulk action revokes licenses that the seller no longer sees in the list.
  - if (state.scope !== scope) setState(nothing(scope));
  + if (state.scope !== scope && state.isAll) setState(nothing(scope));
  tests/browser/licenses.test.ts
the preview of a renewal counts from today instead of from the expiry
  A seller promises a customer an expiry that the renewed license does not have.
  - Math.max(end === null ? 0 : new Date(end).getTime(), Date.now())
  + Date.now()
  tests/browser/licenses.test.ts
an edited license is saved although someone else changed it meanwhile
  The changes of one member silently replace those of another.
  - body: { ...changesOf(form.base, draft), updated_at: updatedAt } });
  + body: changesOf(form.base, draft) });
  tests/browser/create-license.test.ts
members who can only view a license are offered to edit and renew it
  A member fills in a form that the server then refuses.
  - const mayUpdate = may("licenses:update");
  + const mayUpdate = may("licenses:view", "licenses:update");
  tests/browser/members.test.ts
the checkbox of a license has no name
  A user of a screen reader does not hear which license the checkbox selects.
  - aria-label={t("select.one", { key: license.license_key })}
  tests/browser/pages-of-organizations.test.ts
the question whether to discard changes opens behind the dialog it is about
  A user can neither answer the question nor go on with the form.
  - zIndex={300}
  + zIndex={100}
  tests/browser/forms.test.ts tests/browser/product-portal.test.ts
a deletion that asks for a name accepts any text
  A user deletes the wrong license, product or organization by typing a single letter.
  - (typed !== undefined && typedName !== typed)
  + (typed !== undefined && typedName === "")
  tests/browser/organization.test.ts
the copy button of a secret that is shown once copies its own label
  A user confirms that an API key is saved, and has saved the word on the button.
  - <Copy value={secret} label={t("copy")} />
  + <Copy value={t("copy")} label={t("copy")} />
  tests/browser/products.test.ts
dimmed text is too dark in the dark theme
  People with low vision cannot read descriptions and times in the dark theme.
  - "--mantine-color-dimmed": "#9aa7b2"
  + "--mantine-color-dimmed": "#56616b"
  tests/browser/usage.test.ts tests/browser/pages-of-organizations.test.ts
the plans of the platform are wider than a phone
  An operator has to scroll sideways on a phone to read prices and limits.
  - minmax(min(100%, 18rem), 1fr)
  + minmax(28rem, 1fr)
  tests/browser/pages-of-the-platform.test.ts
lists of the dashboard end after their first page
  Older requests, members and deliveries cannot be found, and nothing says that they exist.
  - (last as { next_cursor: string | null }).next_cursor
  + (last as { cursor: string | null }).cursor
  tests/browser/requests.test.ts
a refused product setting loses what was typed
  A user sees why a value was refused, but has to type it again.
  - await submit({ [name]: value } as Changes);
  + setTyped(null);
  +       await submit({ [name]: value } as Changes);
  tests/browser/products.test.ts
the question before a product is archived does not say how many licenses will be refused
  A seller locks out all customers of a product without having been told.
  - ["disable", "archive", "delete"].includes(action)
  + ["disable", "delete"].includes(action)
  tests/browser/products.test.ts
after a save, the settings of a webhook endpoint show the values from before it
  The next save reverts the previous one, and removes headers that were just added.
  - key={basis.updated_at}
  + key={webhook.updated_at}
  tests/browser/webhooks.test.ts
the number of waiting transfers is not updated after a decision
  A reviewer is told that a transfer waits, and finds none.
  - new Set([group, "Audit log", ...(shownIn[group] ?? [])])
  + new Set(["Audit log", ...(shownIn[group] ?? [])])
  tests/browser/transfers.test.ts
the filters of the audit log have no effect
  An owner who looks for the changes of one member sees those of everyone.
  - askPages("listAuditLog", { params: { organization_id: id }, query: filters })
  + askPages("listAuditLog", { params: { organization_id: id }, query: {} })
  tests/browser/product-portal.test.ts
an upgrade is ordered monthly although yearly was chosen
  An organization pays another price than the one on the button's card.
  - pages.openCheckout(plan.plan, offer.interval)
  + pages.openCheckout(plan.plan, "month")
  tests/browser/billing.test.ts
the days of the usage chart are shifted by one
  A seller looks for the cause of a peak on the wrong day.
  - utcDay(fromMs + at * dayMs, i18n.language)
  + utcDay(fromMs + (at + 1) * dayMs, i18n.language)
  tests/browser/usage.test.ts
the link to the reason of the last refusal leads to the license itself
  Support staff who ask why a license was refused stay on the same page.
  - to={paths.request(slug, request.id)} inherit fw={600}
  + to={paths.license(slug, licenseId)} inherit fw={600}
  tests/browser/requests.test.ts
a former owner still sees what only owners can do until the page is reloaded
  After giving away an organization, a user is offered actions that the server refuses.
  - (reloads ? reloadAfter(id, params) : undefined)
  + undefined
  tests/browser/organization.test.ts
the portal shows the license that was opened before instead of the chosen one
  A customer removes an IP address of the wrong license or replaces the wrong key.
  - queryKey: ["license", licenseId],
  + queryKey: ["license"],
  tests/browser/portal.test.ts
the portal keeps the lists of the previous customer when another one signs in
  On a shared computer, a customer sees the licenses of the person before.
  - return key !== "me" && key !== "options" && key !== "seller";
  + return key === "license" || key === "sessions" || key === "open";
  tests/browser/portal.test.ts
the license key from an app stays in the portal's address bar
  The key ends up in the browser's history and in screenshots for support.
  - history.replaceState(null, "", window.location.pathname);
  tests/browser/portal.test.ts
a closed dialog of the portal does not give the focus back
  A customer with a keyboard has to start at the top of the page again.
  - return () => dialog?.close();
  tests/browser/portal.test.ts
the question before an IP address is removed names one removal too many as left
  A customer plans with a removal that is not there.
  - t("ips.cost", { count: 1, left: left - 1 })
  + t("ips.cost", { count: 1, left })
  tests/browser/portal.test.ts
the portal's button to hide a license key has no effect
  The key stays on a screen that others see.
  - <Button isSmall onClick={() => setKey(null)}>
  + <Button isSmall onClick={() => setKey(key)}>
  tests/browser/portal.test.ts
a text of the portal is missing in German
  Before a final action, German customers read the name of the text instead of the warning.
  - "cannotBeUndone": "Das lässt sich nicht rückgängig machen.",
  apps/web/i18n/words.test.ts
the name of the number in a Spanish text is misspelled
  A Spanish-speaking seller revokes licenses without being told how many.
  - "do_other": "Revocar {{number}} licencias",
  + "do_other": "Revocar {{numero}} licencias",
  apps/web/i18n/words.test.ts
`);
