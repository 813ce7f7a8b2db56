/** Written by the build: one loader for each folder of `src/widgets`. */
declare module "virtual:widgets" {
  export const modules: import("./host.ts").Modules;
}

/** Written by the build: the WebAssembly runtime that the engine of the site loads. */
declare module "virtual:runtime" {
  export const runtime: import("../engines/engine.ts").StoredFile;
}
