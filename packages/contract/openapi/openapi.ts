import { manageBase, portalBase } from "../api/bases.ts";
import { authRoutes } from "../auth/routes.ts";
import { contractRoutes } from "../manage/routes.ts";
import { portalRoutes } from "../portal/routes.ts";
import { authApi, authTags } from "./auth.ts";
import { eventWebhooks } from "./events.ts";
import { manageApi, manageTags } from "./manage.ts";
import { authCodesOf, codesOf, problemComponents } from "./problems.ts";
import { publicComponents, publicPaths, publicTag } from "./public.ts";
import { stripeWebhookCodes, stripeWebhookPaths } from "./stripe-webhook.ts";

/** The OpenAPI 3.1 document, in steps, so that other requests can be served in between. */
export function* writeOpenApi(): Generator<void, OpenApiDocument> {
  const manage = yield* manageApi(manageBase, contractRoutes);
  const portal = yield* manageApi(portalBase, portalRoutes);
  const auth = yield* authApi(authRoutes);
  const events = eventWebhooks();
  yield;
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version: "1",
      description:
        "Applications validate and look up licenses with a product's API key. Everything else is managed with an access token or a session.",
      ...license,
    },
    servers,
    security: [{ productApiKey: [] }],
    tags: [publicTag, ...manageTags(contractRoutes), ...manageTags(portalRoutes), ...authTags(authRoutes)],
    paths: { ...publicPaths(), ...manage.paths, ...portal.paths, ...auth.paths, ...stripeWebhookPaths() },
    webhooks: events.webhooks,
    components: {
      securitySchemes: {
        productApiKey,
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: "An access token of a user or an organization, cst_…",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-countersign.session_token",
          description:
            "The cookie that is set when a user signs in. Without HTTPS, its name lacks the __Host- prefix. Changes are accepted from the server's own origin only.",
        },
        portalSession: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-countersign_portal",
          description:
            "The cookie that is set when a customer signs in to the portal. Without HTTPS, its name lacks the __Host- prefix. Changes are accepted from the portal's own origin only.",
        },
      },
      responses: problemComponents([
        ...new Set([
          ...[...contractRoutes, ...portalRoutes].flatMap(codesOf),
          ...authRoutes.flatMap(authCodesOf),
          ...stripeWebhookCodes,
        ]),
      ]),
      ...[manage, portal, auth, events].reduce<Components>(
        (all, { components }) => merged(all, components),
        publicComponents(),
      ),
    },
  };
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly object[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Just the two calls of applications, for those who generate a client. */
export function publicOpenApiDocument(): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign: public API",
      version: "1",
      description: "Applications validate and look up licenses with a product's API key.",
      ...license,
    },
    servers,
    security: [{ productApiKey: [] }],
    tags: [publicTag],
    paths: publicPaths(),
    webhooks: {},
    components: { securitySchemes: { productApiKey }, ...publicComponents() },
  };
}

/** Relative: the document describes the server that it comes from. */
const servers = [{ url: "/", description: "This server." }];

const productApiKey = {
  type: "http",
  scheme: "bearer",
  description:
    "The API key of a product, csk_…, for the two endpoints of the public API; or its test API key, cskt_…, for the sandbox.",
};

const license = { license: { name: "Apache-2.0", identifier: "Apache-2.0" } };

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Two shapes with one name would make one of them wrong. */
function merged(one: Components, other: Components): Components {
  const kinds = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const [first = {}, second = {}] = [one[kind], other[kind]];
      for (const name of Object.keys(second)) {
        if (name in first && JSON.stringify(first[name]) !== JSON.stringify(second[name]))
          throw new Error(`Two different ${kind} are called "${name}". Give one of them another id.`);
      }
      return [kind, { ...first, ...second }];
    }),
  );
}
