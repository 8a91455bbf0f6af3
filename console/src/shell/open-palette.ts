const EVENT = 'tossup-palette'

export const openPalette = (): void => void dispatchEvent(new Event(EVENT))

export function onOpenPalette(open: () => void): () => void {
  addEventListener(EVENT, open)
  return () => removeEventListener(EVENT, open)
}
