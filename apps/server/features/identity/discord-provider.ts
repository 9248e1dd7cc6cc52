/** The provider name of Discord accounts. In a separate file, so that nobody loads the library for a constant. */
export const discordProvider = "discord";
