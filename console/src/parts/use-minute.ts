import { useSyncExternalStore } from 'react'

const MINUTE_MS = 60_000
/** How late a new minute may be noticed. */
const LOOK_EVERY_MS = 5_000

function onLook(look: () => void): () => void {
  const timer = setInterval(look, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}

/** Draws a component again each minute: "now" does not stay true. */
export const useMinute = (): number => useSyncExternalStore(onLook, () => Math.floor(Date.now() / MINUTE_MS))
