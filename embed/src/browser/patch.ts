/**
 * Updates the DOM to match and touches nothing that is already equal: the focus stays, pictures
 * are not loaded again, and animations continue.
 */
export function patch(shown: Node, wanted: Node): void {
  const [before, after] = [[...shown.childNodes], [...wanted.childNodes]]
  for (const [i, next] of after.entries()) {
    const present = before[i]
    if (!present) shown.appendChild(next)
    else if (present.nodeName !== next.nodeName) shown.replaceChild(next, present)
    else if (next instanceof Element) {
      patchAttributes(present as Element, next)
      patch(present, next)
    } else if (present.nodeValue !== next.nodeValue) present.nodeValue = next.nodeValue
  }
  for (const surplus of before.slice(after.length)) shown.removeChild(surplus)
}

function patchAttributes(shown: Element, wanted: Element): void {
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  }
}
