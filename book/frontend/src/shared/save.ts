/** Taking a picture and its numbers along: SVG that stands alone, PNG, and CSV. */

import { svg } from "./dom.ts";
import type { Picture } from "./picture.ts";
import type { AttentionMap } from "./state.ts";

const PAINTED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-weight",
  "font-size",
  "text-anchor",
] as const;

/** The picture as one SVG document, in the colours that it has at the moment. */
export function asSvg(drawing: Picture, title: string): string {
  const { width, height, left } = drawing.layout;
  const paper = getComputedStyle(drawing.element).backgroundColor;
  const whole = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      "font-family": "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
    },
    svg("title", {}, title),
    svg("rect", { width, height, fill: paper || "#ffffff" }),
  );
  for (const [part, shift] of [
    [drawing.element.querySelector<SVGSVGElement>(".s2b-rows"), 0],
    [drawing.grid, left],
  ] as const) {
    if (!part) continue;
    const group = svg("g", { transform: `translate(${shift} 0)` });
    for (const child of part.children) {
      const copy = painted(child);
      if (copy) group.append(copy);
    }
    whole.append(group);
  }
  return new XMLSerializer().serializeToString(whole);
}

/** A copy of what is to be seen of an element, its style written into it. */
function painted(element: Element): Element | null {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return null;
  const copy = element.cloneNode(false) as Element;
  for (const name of [...copy.getAttributeNames()]) {
    if (/^(class|role|tabindex|aria-|data-)/.test(name)) copy.removeAttribute(name);
  }
  for (const name of PAINTED) {
    const value = style.getPropertyValue(name);
    if (value && value !== "none" && value !== "normal") copy.setAttribute(name, value);
    else if (name === "fill" || name === "stroke") copy.setAttribute(name, "none");
  }
  for (const child of element.childNodes) {
    const kept = child instanceof Element ? painted(child) : child.cloneNode();
    if (kept) copy.append(kept);
  }
  return copy;
}

/** An SVG document as a bitmap, twice its size, for slides and messages. */
export async function asPng(document_: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(document_)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

/** The weights of one head: a row for each query, a column for each key. */
export function asCsv(map: AttentionMap, layer: number, head: number): string {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = map.queryTokens.map((token, query) =>
    [cell(token), ...map.row(layer, head, query).map((weight) => weight.toFixed(6))].join(","),
  );
  return [["", ...map.keyTokens.map(cell)].join(","), ...rows].join("\r\n") + "\r\n";
}

/** Put something on the clipboard; where that is not allowed, offer it as a file. Says which it was. */
export async function take(content: Blob | string, name: string): Promise<"copied" | "saved"> {
  try {
    if (typeof content === "string") await navigator.clipboard.writeText(content);
    else await navigator.clipboard.write([new ClipboardItem({ [content.type]: content })]);
    return "copied";
  } catch {
    const blob = typeof content === "string" ? new Blob([content], { type: "text/plain" }) : content;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return "saved";
  }
}
