/** The result of checking some tables with all of their indexes. */
export interface IntegrityPart {
  /** What is wrong with each table that was checked, by file and table; null for nothing. In order. */
  readonly tables: readonly (readonly [table: string, damage: string | null])[];
  /** Whether no table follows these. */
  readonly isLast: boolean;
}
