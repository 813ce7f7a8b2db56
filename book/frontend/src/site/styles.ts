/** The site's pages link `site.css` in their head; a page that does not gets it late, but gets it. */
export function ensureStyles(root: Document): void {
  const wanted = new URL("site.css", import.meta.url);
  for (const link of root.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    if (new URL(link.href, root.baseURI).pathname === wanted.pathname) return;
  }
  const link = root.createElement("link");
  link.rel = "stylesheet";
  link.href = wanted.href;
  root.head.append(link);
}
