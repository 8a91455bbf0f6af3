import { words } from '../words/words.ts'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** What a keyboard of this system has on the key of `mod+K`. */
export const modKey = (): string => (isApple ? '⌘' : words().shortcuts.control)
