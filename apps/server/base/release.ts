import manifest from "../package.json" with { type: "json" };

export const release: string = manifest.version;
