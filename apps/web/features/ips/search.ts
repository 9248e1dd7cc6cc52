export interface IpsSearch {
  /** A network, in any notation. */
  in?: string | undefined;
  /** The minimum number of licenses. */
  min?: number | undefined;
}
