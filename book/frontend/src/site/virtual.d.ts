/** Written by the build: one loader for each folder of `src/widgets`. */
declare module "virtual:widgets" {
  export const modules: import("./host.ts").Modules;
}
