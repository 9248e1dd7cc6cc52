export interface CustomersSearch {
  q?: string | undefined;
  /** Opens the form for a new one. */
  new?: true | undefined;
}
