/** The script of every page of the site: brings its widgets and charts to life. */

import { modules } from "virtual:widgets";
import { prepareCharts } from "./charts.ts";
import { mountWidgets } from "./host.ts";
import { restOffscreen } from "./offscreen.ts";
import { ensureStyles } from "./styles.ts";

ensureStyles(document);
restOffscreen(document);
prepareCharts(document, () => import("./vega.ts"));
void mountWidgets(document, modules);
