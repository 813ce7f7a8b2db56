/** The script of every page of the site: brings its widgets and charts to life. */

import { modules } from "virtual:widgets";
import { prepareCharts } from "./charts.ts";
import { mountWidgets } from "./host.ts";
import { ensureStyles } from "./styles.ts";

ensureStyles(document);
prepareCharts(document, () => import("./vega.ts"));
void mountWidgets(document, modules);
