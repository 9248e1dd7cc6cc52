declare module "virtual:routes" {
  /** The method and path of each route, by its ID. */
  export const manage: Readonly<Record<string, string>>;
  /** The group of each route, by its ID. */
  export const groups: ReadonlyMap<string, string>;
  export const auth: Readonly<Record<string, string>>;
}

declare module "virtual:portal-routes" {
  export const portal: Readonly<Record<string, string>>;
}

declare module "virtual:portal-words/en" {
  export const words: Record<string, object>;
}

declare module "virtual:portal-words/de" {
  export const words: Record<string, object>;
}

declare module "virtual:portal-words/es" {
  export const words: Record<string, object>;
}
