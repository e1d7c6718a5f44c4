// The method's own word for what the page says in the lab's words: a link whose tooltip is its entry in the glossary.
import { element } from "./dom.js";

/** After a sentence about a layer, the method's term for it, if the page has one. */
export function explain(line, layer) {
  const known = document.querySelector(`#terms [data-layer="${layer}"]`);
  if (known) line.append(" In the method's words: ", element("a", { class: "term", href: known.getAttribute("href"), title: known.title }, known.textContent), ".");
}
