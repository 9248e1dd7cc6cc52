declare module "virtual:routes" {
  /** The method and path of each route, by its ID. */
  export const manage: Readonly<Record<string, string>>;
  export const auth: Readonly<Record<string, string>>;
}
