import { words } from '../words/words.ts'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The label of the `mod` key on keyboards of this system. */
export const modKey = (): string => (isApple ? '⌘' : words().shortcuts.control)
