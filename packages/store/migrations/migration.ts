/** One step of the schema. The statements run in one transaction and mean the same on both databases. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
