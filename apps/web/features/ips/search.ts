export interface IpsSearch {
  /** A network, in any of its ways of writing. */
  in?: string | undefined;
  /** At least this many licenses. */
  min?: number | undefined;
}
