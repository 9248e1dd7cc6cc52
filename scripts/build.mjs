import { ensureBuilt } from "./built.mjs";
import { ensureInstalled } from "./toolchain.mjs";

ensureInstalled();
ensureBuilt("web");
ensureBuilt("docs");
ensureBuilt("server");
