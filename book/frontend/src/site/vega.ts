/** Vega, loaded on demand: compile a Vega-Lite specification and draw it as SVG, without eval. */

import { parse, View, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { Handler } from "vega-tooltip";

/** Draw a chart into an element; resolves when it is painted. */
export async function drawChart(element: HTMLElement, specification: Record<string, unknown>): Promise<void> {
  const { spec } = compile(specification as unknown as TopLevelSpec);
  const runtime = parse(spec as Spec, undefined, { ast: true });
  const tooltip = new Handler({ theme: "custom", styleId: "s2b-vega-tooltip" });
  const view = new View(runtime, {
    expr: expressionInterpreter as never,
    renderer: "svg",
    container: element,
    hover: true,
    tooltip: tooltip.call,
    // data are part of the specification: nothing is fetched from anywhere
    loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse } as never,
  });
  await view.runAsync();
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("a chart may not load anything from elsewhere"));
}
