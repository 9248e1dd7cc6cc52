/** The provider name of Discord accounts. In a separate file, so that nobody loads the library for a constant. */
export const discordProvider = "discord";
/** The return path from Discord, as the library names it. */
export const callbackPath = "/callback/:id";
