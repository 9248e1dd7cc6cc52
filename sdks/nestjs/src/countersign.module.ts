import { Countersign } from "@countersign/node";
import { type DynamicModule, Module, type Provider } from "@nestjs/common";
import { LicenseGuard } from "./license.guard.ts";
import {
  type CountersignModuleAsyncOptions,
  type CountersignModuleOptions,
  optionsToken,
} from "./options.ts";
import { WebhookGuard } from "./webhook.guard.ts";

/** One client for the whole app, and the guards that use it. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: this is what a Nest module looks like.
export class CountersignModule {
  static forRoot(options: CountersignModuleOptions & { readonly isGlobal?: boolean } = {}): DynamicModule {
    return dynamicModule({ provide: optionsToken, useValue: options }, options.isGlobal ?? true);
  }

  static forRootAsync(options: CountersignModuleAsyncOptions): DynamicModule {
    const { useFactory, inject = [], imports = [], isGlobal = true } = options;
    return { ...dynamicModule({ provide: optionsToken, useFactory, inject }, isGlobal), imports };
  }
}

function dynamicModule(options: Provider, isGlobal: boolean): DynamicModule {
  return {
    module: CountersignModule,
    global: isGlobal,
    providers: [
      options,
      {
        provide: Countersign,
        useFactory: (settings: CountersignModuleOptions) => settings.client ?? new Countersign(settings),
        inject: [optionsToken],
      },
      LicenseGuard,
      WebhookGuard,
    ],
    exports: [Countersign, optionsToken, LicenseGuard, WebhookGuard],
  };
}
