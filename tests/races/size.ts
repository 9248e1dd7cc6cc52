/** The long form has the guaranteed numbers. The short one keeps `npm test` fast. */
export const long = process.env.COUNTERSIGN_LONG_TESTS === "true";
