/** What the site offers its widgets in place of a kernel. */

import { runtime } from "virtual:runtime";
import type { Loader } from "../engines/browser/engine.ts";
import { Missing } from "../engines/engine.ts";
import type { SiteServices } from "../engines/pick.ts";

/** One loader serves the page, whichever widget asks first. */
let loader: Loader | null = null;

export const services: SiteServices = {
  bytes: (model) => (model.stored?.files ?? []).reduce((sum, { bytes }) => sum + bytes, runtime.bytes),

  async browserEngine(subject, progress) {
    const { BrowserEngine, Loader } = await import("../engines/browser/engine.ts").catch(() => {
      throw new Missing("a script of this page could not be loaded: is the connection there?");
    });
    loader ??= new Loader(
      { runtime: import.meta.url, models: new URL("../models/", import.meta.url).href },
      () => import("../engines/browser/onnx.ts"),
    );
    return new BrowserEngine(loader, subject, progress);
  },

  address(fragment) {
    const address = new URL(location.href);
    address.hash = fragment;
    return address.href;
  },

  onFragment(hear, signal) {
    const listen = (): void => hear(location.hash.slice(1));
    window.addEventListener("hashchange", listen, { signal });
    listen();
  },
};
