interface MarkupRules {
  createHTML(markup: string): string
}

const rules: MarkupRules = { createHTML: (markup) => markup }
/** A page that enforces Trusted Types must allow a policy of this name. All our markup is escaped by `html`. */
let policy: MarkupRules | undefined

/**
 * Updates the content of an element and touches nothing that is already equal: the focus stays, pictures are not loaded
 * again, and animations continue. A `<nav>` or `<em>` at the end stays too: see after-vote.ts and remark.ts.
 */
export function patch(shown: Element, html: string): void {
  const template = document.createElement('template')
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, made: MarkupRules): MarkupRules }
  }
  policy ??= trustedTypes?.createPolicy('tossup', rules) ?? rules
  template.innerHTML = policy.createHTML(html)
  patchNodes(shown, template.content)
}

function patchNodes(shown: Element, wanted: Node): void {
  const [before, after] = [[...shown.childNodes], [...wanted.childNodes]]
  for (const [i, next] of after.entries()) {
    const present = before[i]
    if (!present) shown.append(next)
    else if (present.nodeName !== next.nodeName) present.replaceWith(next)
    // By the browser itself, much faster than node by node.
    else if (present.isEqualNode(next)) continue
    else if (next instanceof Element) {
      patchAttributes(present as Element, next)
      patchNodes(present as Element, next)
    } else present.nodeValue = next.nodeValue
  }
  for (const surplus of before.slice(after.length)) if (!/NAV|EM/.test(surplus.nodeName)) surplus.remove()
}

function patchAttributes(shown: Element, wanted: Element): void {
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of wanted.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  }
}
