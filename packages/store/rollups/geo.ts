/** Where an IP address is, as far as the operator's GeoIP file knows. */
export interface Place {
  /** ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null;
  readonly coordinates: Coordinates | null;
}

export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** The GeoIP file. */
export interface Geo {
  /** Whether it has coordinates: a file of countries has none. */
  readonly hasPlaces: boolean;
  placeOf(ip: string): Place | null;
}
