import { type ComponentType, lazy } from 'react'

const RETRY_MS = 3_000

/** A part of a page that is loaded when it is wanted. Without a network it comes later: a failed `lazy` would take the whole console down. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    for (;;) {
      try {
        return { default: await load() }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  })
