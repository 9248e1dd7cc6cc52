// An app on a customer's machine.
import { Countersign } from "@countersign/node";
import { deviceId, FileGraceStore } from "@countersign/node/device";

export async function client(): Promise<Countersign> {
  return new Countersign({
    apiKey: "csk_test",
    baseUrl: "https://license.example.com",
    deviceId: await deviceId("my-app"),
    graceSeconds: 86_400,
    graceStore: new FileGraceStore("/var/lib/my-app"),
  });
}
