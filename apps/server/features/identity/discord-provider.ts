/** What an account at Discord is filed under. Apart from the rest, so that nobody loads the library for a word. */
export const discordProvider = "discord";
