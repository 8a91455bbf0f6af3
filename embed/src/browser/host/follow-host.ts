/** The elements that look like the page around them, and are looked at again when it changes. */
const followers = new Set<HTMLElement>()

/** The color that lies below an element; null where only the canvas of the browser does. */
function groundBelow(element: Element): string | null {
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    const color = at instanceof Element ? getComputedStyle(at).backgroundColor : ''
    if (color && channelsOf(color)[3] > OPAQUE) return color
  }
  return null
}

const OPAQUE = 127
const MIDDLE = 128

/** Red, green, blue and alpha up to 255, in any notation of CSS. */
function channelsOf(color: string): [number, number, number, number] {
  const context = new OffscreenCanvas(1, 1).getContext('2d')
  if (!context) return [0, 0, 0, 0]
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  return [...context.getImageData(0, 0, 1, 1).data] as [number, number, number, number]
}

/** Without a color below it, an element has the `color-scheme` of the page, as any other. */
function look(element: HTMLElement): void {
  const ground = groundBelow(element)
  // By a property, which a page's policy for styles does not concern.
  element.style.colorScheme = ground === null ? '' : schemeOn(ground)
}

function schemeOn(ground: string): 'light' | 'dark' {
  const [red, green, blue] = channelsOf(ground)
  return 0.299 * red + 0.587 * green + 0.114 * blue > MIDDLE ? 'light' : 'dark'
}

function lookAgain(): void {
  for (const element of followers) {
    if (element.isConnected) look(element)
    else followers.delete(element)
  }
}

/** The page's scheme is a class or an attribute of its root on most sites, and may change in a transition. */
function watch(): void {
  const changes = new MutationObserver(lookAgain)
  for (const part of [document.documentElement, document.body]) changes.observe(part, { attributes: true })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', lookAgain)
  addEventListener('transitionend', lookAgain)
}

/** From now on the element is dark where the page below it is. */
export function followHost(element: HTMLElement): void {
  if (followers.size === 0) watch()
  followers.add(element)
  look(element)
}

/** The element has the scheme of its theme again. */
export function leaveHost(element: HTMLElement): void {
  if (followers.delete(element)) element.style.colorScheme = ''
}
