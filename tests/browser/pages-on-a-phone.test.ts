import { postgres } from "../support/databases.ts";
import { lookAtEveryPage } from "./every-page.ts";

lookAtEveryPage(postgres, { name: "phone", width: 390, scheme: "dark" });
