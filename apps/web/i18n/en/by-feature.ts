/** The texts of each feature, by the name of their file. */
export function byFeature(files: Record<string, unknown>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [path.replace(/^\.\/|\.json$/g, ""), texts as object]),
  );
}
