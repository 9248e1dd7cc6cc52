/**
 * The lightest background of the portal's dark pages. A color that is readable on it is readable on all of them.
 */
export const lightestDarkSurface = "#1f2831";
