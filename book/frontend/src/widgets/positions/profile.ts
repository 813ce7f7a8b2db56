/** The scores of one row against distance, on top of those of all rows. */

import { svg } from "../../shared/dom.ts";
import { signed } from "../playground/plane.ts";
import { LEFT, SIDE, SIZE, words } from "./field.ts";
import { numberText, profileTicks } from "./says.ts";
import { largest } from "./schemes.ts";

const [LOW, TOP, HIGH] = [210, 14, 160];

export class Profile {
  readonly element = svg("svg", { class: "s2b-of-places s2b-profile", role: "img", viewBox: `0 0 ${SIZE} ${LOW}`, width: SIZE, height: LOW });
  private readonly background = svg("g");
  private readonly line = svg("polyline", { class: "s2b-row-line" });
  private readonly here = svg("circle", { class: "s2b-here", r: 5 });
  private drawn: unknown = null;

  constructor() {
    this.element.append(svg("rect", { class: "s2b-paper", width: SIZE, height: LOW }), this.background, this.line, this.here);
  }

  show(scores: readonly (readonly number[])[], row: number, column: number, title: string): void {
    const all = scores.flat();
    const [least, most] = [Math.min(0, ...all), Math.max(0, ...all)];
    const tall = most - least || 1;
    const count = scores.length;
    const x = (distance: number): number => LEFT + (SIDE * (distance + count - 1)) / Math.max(1, 2 * count - 2);
    const y = (score: number): number => TOP + (HIGH * (most - score)) / tall;
    this.element.setAttribute("aria-label", title);
    if (scores !== this.drawn) {
      this.drawn = scores;
      const dots = scores.flatMap((line, i) => line.map((score, j) => `M${(x(j - i) - 1.5).toFixed(1)} ${(y(score) - 1.5).toFixed(1)}h3v3h-3z`));
      this.background.replaceChildren(
        svg("path", { class: "s2b-axis", d: `M${LEFT} ${y(0).toFixed(1)}h${SIDE}M${x(0).toFixed(1)} ${TOP}V${TOP + HIGH}` }),
        // where the distance alone counts many fall on the same place
        svg("path", { class: "s2b-others", d: [...new Set(dots)].join("") }),
        ...([[most, TOP + 4], [least, TOP + HIGH + 4]] as const).map(([end, at]) => words(LEFT - 5, at, numberText(end, largest(scores)), "end")),
        ...profileTicks(count).map((distance) => words(x(distance), TOP + HIGH + 18, signed(distance, 0), distance === count - 1 ? "end" : "middle")),
        words(LEFT + SIDE, LOW - 3, "distance j − i →", "end"),
      );
    }
    const points = (scores[row] ?? []).map((score, j) => `${x(j - row).toFixed(1)},${y(score).toFixed(1)}`);
    this.line.setAttribute("points", points.join(" "));
    const [cx, cy] = (points[column] ?? "0,0").split(",");
    this.here.setAttribute("cx", cx ?? "0");
    this.here.setAttribute("cy", cy ?? "0");
  }
}
