/** Files of the site, fetched once, with their progress, and checked to be whole. */

import { Missing, type Progress, type StoredFile } from "../engine.ts";

/** Adds up how far several downloads are. */
export class Tally {
  private loaded = 0;

  constructor(
    private readonly total: number,
    private readonly progress: Progress,
  ) {}

  add(bytes: number): void {
    this.loaded += bytes;
    this.progress(Math.min(this.loaded, this.total), this.total);
  }
}

/**
 * Fetch a file and check its length and, where the browser can, its SHA-256. What turns out to be
 * damaged is asked for once more, past the browser's cache.
 */
export async function download(base: string, file: StoredFile, tally: Tally): Promise<Uint8Array<ArrayBuffer>> {
  const address = new URL(file.file, base);
  // the name stays, the content may change: the hash makes the address of every version its own
  address.searchParams.set("v", file.sha256.slice(0, 8));
  const bytes = (await attempt(address, file, "force-cache", tally)) ?? (await attempt(address, file, "reload", tally));
  if (!bytes) throw new Missing(`${file.file} did not arrive whole: try again, or reload the page`);
  return bytes;
}

/** The file, or null when what came is not it. */
async function attempt(
  address: URL,
  file: StoredFile,
  cache: RequestCache,
  tally: Tally,
): Promise<Uint8Array<ArrayBuffer> | null> {
  let response: Response;
  try {
    response = await fetch(address, { cache });
  } catch {
    throw new Missing(`${file.file} could not be loaded: is the connection there?`);
  }
  if (!response.ok || !response.body) {
    throw new Missing(`${file.file} is not on the site (status ${response.status})`);
  }
  const bytes = new Uint8Array(file.bytes);
  let at = 0;
  try {
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (at + part.value.length > bytes.length) return null;
      bytes.set(part.value, at);
      at += part.value.length;
      tally.add(part.value.length);
    }
  } catch {
    return null;
  }
  return at === bytes.length && (await matches(bytes, file.sha256)) ? bytes : null;
}

/** Only pages from https or from this machine may compute hashes; elsewhere the length must do. */
async function matches(bytes: Uint8Array<ArrayBuffer>, sha256: string): Promise<boolean> {
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

/** Unpack gzip. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
