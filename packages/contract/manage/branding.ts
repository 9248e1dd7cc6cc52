import { z } from "zod";
import { member, route } from "../api/route.ts";
import { email, locale, name, time, updatedAtGuard, webUrl } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "Branding";

const color = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, fieldCode("accent_color_invalid"));

const links = z.array(z.strictObject({ title: name, url: webUrl })).max(5);

/** How an organization presents itself in the customer portal. */
export const branding = z
  .object({
    display_name: z.string().nullable().meta({ description: "Null for the organization's name." }),
    logo_url: z.string().nullable().meta({ description: "Relative to the server. Null without a logo." }),
    accent_color: z.string().nullable().meta({ description: "As #rrggbb. Null for the portal's own." }),
    accent_color_dark: z.string().nullable().meta({ description: "The derived color for dark pages." }),
    accent_text_dark: z
      .string()
      .nullable()
      .meta({ description: "The color of text on `accent_color_dark`." }),
    support_email: z.string().nullable(),
    support_url: z.string().nullable(),
    links: z.array(z.object({ title: z.string(), url: z.string() })),
    locale: locale.nullable().meta({
      description: "The portal's language for visitors who chose none. Null for the organization's.",
    }),
    portal_url: z
      .string()
      .meta({ description: "The portal's address with this organization's branding on the sign-in page." }),
    updated_at: time,
  })
  .meta({ id: "Branding" });

export const getBranding = route({
  id: "getBranding",
  method: "GET",
  path: "/organizations/{organization_id}/branding",
  summary: "Get the branding of the customer portal",
  group,
  access: member(null),
  answer: branding,
});

export const updateBranding = route({
  id: "updateBranding",
  method: "PATCH",
  path: "/organizations/{organization_id}/branding",
  summary: "Change the branding of the customer portal",
  group,
  access: member("organization:manage"),
  body: z.strictObject({
    display_name: name.nullable().optional(),
    accent_color: color.nullable().optional().meta({
      description: "As #rrggbb, with a contrast of at least 4.5 to white.",
    }),
    support_email: email.nullable().optional(),
    support_url: webUrl.nullable().optional(),
    links: links.optional(),
    locale: locale.nullable().optional(),
    ...updatedAtGuard,
  }),
  answer: branding,
});

export const uploadLogo = route({
  id: "uploadLogo",
  method: "PUT",
  path: "/organizations/{organization_id}/branding/logo",
  summary: "Upload a logo",
  description:
    "A PNG, JPEG, WebP or SVG file of up to 256 KiB, of up to 2,048 × 2,048 pixels unless it is SVG. It is stored as it is, and shown only as a picture: what an SVG file contains cannot run or load anything.",
  group,
  access: member("organization:manage"),
  problems: ["changed_meanwhile", "invalid", "invalid_if_match"],
  bodyTypes: ["image/png", "image/jpeg", "image/webp", "image/svg+xml"],
  bodyLimit: { bytes: 256 * 1024, values: 0 },
  answer: branding,
});

export const removeLogo = route({
  id: "removeLogo",
  method: "DELETE",
  path: "/organizations/{organization_id}/branding/logo",
  summary: "Remove the logo",
  group,
  access: member("organization:manage"),
  problems: ["changed_meanwhile", "invalid_if_match"],
  answer: branding,
  status: 200,
});
