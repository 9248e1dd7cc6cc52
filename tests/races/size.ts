/** The long form has the numbers that are promised; the short one keeps `npm test` quick. */
export const long = process.env.COUNTERSIGN_LONG_TESTS === "true";
