export function appendDiv(parent: Node, className: string): Element {
  const div = document.createElement('div')
  div.className = className
  return parent.appendChild(div)
}
