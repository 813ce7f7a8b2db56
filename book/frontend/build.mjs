/**
 * Build the front end. One run writes both editions of it:
 *
 *   book/seq2bert/widgets/static/<widget>.js, .css   one self-contained module per widget, for Jupyter
 *   .build/assets/frontend/                          site.js, its chunks, site.css, for the site
 *
 * With --tests: bundles the tests into node_modules/.tests/ instead (node --test runs them).
 * A widget is a folder of src/widgets: its index.ts exports the widget, its <name>.css styles it.
 */

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const top = join(here, "../..");
const jupyter = join(here, "../seq2bert/widgets/static");
const site = join(top, ".build/assets/frontend");
// below node_modules, so that the bundled tests find the packages that they are run with
const tests = join(here, "node_modules/.tests");

const widgets = (await readdir(join(here, "src/widgets"), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: ["es2022", "safari16"],
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  // light-dark() and :is() are written with their own fallbacks; leave them as they are
  supported: { "is-pseudo-class": true },
};

/**
 * The runtime that executes models in the browser, compressed: a static host would send all 14 MB
 * of it as they are. Its name holds a hash, so that a browser may keep it for good, and no ".gz":
 * some hosts would say that it was compressed on the way, and browsers would unpack it unasked.
 */
async function runtime() {
  const source = join(here, "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm");
  const { version } = JSON.parse(await readFile(join(here, "node_modules/onnxruntime-web/package.json"), "utf8"));
  const kept = join(here, `node_modules/.cache/onnxruntime-${version}.wasm.gz`);
  const packed = await readFile(kept).catch(async () => {
    await mkdir(dirname(kept), { recursive: true });
    const bytes = gzipSync(await readFile(source), { level: 9 });
    await writeFile(kept, bytes);
    return bytes;
  });
  const sha256 = createHash("sha256").update(packed).digest("hex");
  return { packed, stored: { file: `onnxruntime-${sha256.slice(0, 8).toUpperCase()}.bin`, bytes: packed.length, sha256 } };
}

/** What the site's engine knows of the runtime: its file, size and hash. */
const runtimeFacts = (stored) => ({
  name: "runtime",
  setup(builder) {
    builder.onResolve({ filter: /^virtual:runtime$/ }, () => ({ path: "runtime", namespace: "runtime" }));
    builder.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
      contents: `export const runtime = ${JSON.stringify(stored)};`,
    }));
  },
});

/** The list of widgets as a module, so that the site can load these and nothing else. */
const allowList = {
  name: "allow-list",
  setup(builder) {
    builder.onResolve({ filter: /^virtual:widgets$/ }, () => ({ path: "widgets", namespace: "allow" }));
    builder.onLoad({ filter: /.*/, namespace: "allow" }, () => ({
      resolveDir: here,
      contents: `export const modules = {\n${widgets
        .map((name) => `  ${JSON.stringify(name)}: () => import("./src/widgets/${name}/index.ts"),`)
        .join("\n")}\n};`,
    }));
  },
};

const styles = (...files) => ({
  stdin: { contents: files.map((file) => `@import "./src/${file}";`).join("\n"), loader: "css", resolveDir: here },
});

async function buildAll() {
  await Promise.all([rm(jupyter, { recursive: true, force: true }), rm(site, { recursive: true, force: true })]);
  await Promise.all([mkdir(jupyter, { recursive: true }), mkdir(site, { recursive: true })]);
  const { packed, stored } = await runtime();
  await writeFile(join(site, stored.file), packed);
  const shared = ["shared/ramp.css", "shared/theme.css", "shared/picture.css"];
  await Promise.all([
    build({
      ...common,
      minify: true,
      entryPoints: widgets.map((name) => ({ in: `src/widgets/${name}/index.ts`, out: name })),
      outdir: jupyter,
    }),
    ...widgets.map((name) =>
      build({
        ...common,
        ...styles(...shared, `widgets/${name}/${name}.css`),
        minify: true,
        outfile: join(jupyter, `${name}.css`),
      }),
    ),
    build({
      ...common,
      minify: true,
      splitting: true,
      plugins: [allowList, runtimeFacts(stored)],
      entryPoints: { site: "src/site/index.ts" },
      chunkNames: "[name]-[hash]",
      outdir: site,
    }),
    build({
      ...common,
      ...styles("site/site.css", ...widgets.map((name) => `widgets/${name}/${name}.css`)),
      minify: true,
      outfile: join(site, "site.css"),
    }),
  ]);
  await report(jupyter);
  await report(site);
}

async function report(folder) {
  for (const name of (await readdir(folder)).sort()) {
    const { size } = await stat(join(folder, name));
    const packed = gzipSync(await readFile(join(folder, name)), { level: 9 }).length;
    const kB = (bytes) => (bytes / 1000).toFixed(1).padStart(7);
    console.log(`${kB(size)} kB ${kB(packed)} kB gzipped  ${relative(top, join(folder, name))}`);
  }
}

async function buildTests() {
  await rm(tests, { recursive: true, force: true });
  const names = (await readdir(join(here, "tests"))).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    plugins: [allowList, runtimeFacts((await runtime()).stored)],
    entryPoints: names.map((name) => `tests/${name}`),
    outdir: tests,
    outExtension: { ".js": ".mjs" },
    platform: "node",
    target: "node20",
    external: ["happy-dom", "onnxruntime-web"],
    define: { FRONTEND: JSON.stringify(here) },
    sourcemap: "inline",
  });
}

try {
  await (process.argv.includes("--tests") ? buildTests() : buildAll());
} catch (error) {
  if (!error.errors) console.error(error);
  process.exitCode = 1;
}
