/** What is asked of a translator, as a link and back. */

import type { Request } from "../../engines/questions.ts";
import { LONGEST_SOURCE, words } from "../../shared/sentence.ts";

/** Beam widths that can be chosen; 1 is greedy search. */
export const WIDTHS = [1, 2, 4, 8] as const;
/** Values that can be chosen for the energies and for the temperature. */
export const SCALES = [0, 0.25, 0.5, 1, 2, 4, 8] as const;
export const TEMPERATURES = [0.25, 0.5, 1, 2, 4] as const;

export function plainRequest(source: readonly string[]): Request {
  return { source, model: 0, prefix: [], width: 1, temperature: 1, scale: 1 };
}

/** What is asked, as the fragment of an address: `#translate?s=the+cat&w=4`. */
export function toFragment(key: string, request: Request): string {
  const fields = new URLSearchParams({ s: request.source.join(" ") });
  if (request.model !== 0) fields.set("m", String(request.model));
  if (request.prefix.length > 0) fields.set("p", request.prefix.join(" "));
  if (request.width !== 1) fields.set("w", String(request.width));
  if (request.temperature !== 1) fields.set("t", String(request.temperature));
  if (request.scale !== 1) fields.set("e", String(request.scale));
  return `${key}?${fields.toString()}`;
}

/** What a fragment asks this widget; null when it is not for this one. Anything odd is left out. */
export function fromFragment(key: string, fragment: string, models: number): Request | null {
  if (!fragment.startsWith(`${key}?`)) return null;
  const fields = new URLSearchParams(fragment.slice(key.length + 1));
  const source = words(fields.get("s") ?? "");
  if (source.length === 0 || source.length > LONGEST_SOURCE) return null;
  const oneOf = <T extends number>(name: string, allowed: readonly T[], usual: T): T => {
    // Number("") is 0, which somebody may not have meant
    const value = Number(fields.get(name) || usual);
    return allowed.find((one) => one === value) ?? usual;
  };
  const places = Array.from({ length: models }, (_, place) => place);
  return {
    source,
    model: oneOf("m", places, 0),
    prefix: (fields.get("p") ?? "").split(" ").filter((token) => token !== "").slice(0, LONGEST_SOURCE + 1),
    width: oneOf("w", WIDTHS, 1),
    temperature: oneOf("t", TEMPERATURES, 1),
    scale: oneOf("e", SCALES, 1),
  };
}

export function same(one: Request, other: Request): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

function ordered({ source, model, prefix, width, temperature, scale }: Request): unknown[] {
  return [source, model, prefix, width, temperature, scale];
}
