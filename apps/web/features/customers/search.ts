export interface CustomersSearch {
  q?: string | undefined;
  /** Opens the form for a new customer. */
  new?: true | undefined;
}
